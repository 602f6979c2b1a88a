# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest

import numpy as np

from tbp.monty.backends import numba
from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.tables.host_engine import HostEngine
from tests.backends.cuda.host_device import HostStream
from tests.backends.cuda.kernels_test import on_device
from tests.backends.scenes import build, random_scene


class MostLikelyPosesTest(unittest.TestCase):
    def test_a_step_tells_those_of_the_segments_that_are_asked_for(self) -> None:
        table, graphs, work = build([random_scene(3, graphs=4, hypotheses=60)])
        device = DeviceEngine(HostStream())
        for engine, hypotheses in (
            (device, on_device(device, table)),
            (HostEngine(numba), table),
        ):
            step = engine.begin(hypotheses, graphs, work)
            step.update()
            most_likely = step.finish().most_likely
            positions = np.array([2, 0, 3])
            expected = [
                hypotheses.read(int(work.segments[position]), "poses")[
                    most_likely[position]
                ]
                for position in positions
            ]
            with self.subTest(type(engine).__name__):
                np.testing.assert_array_equal(
                    step.most_likely_poses(positions), expected
                )


if __name__ == "__main__":
    unittest.main()
