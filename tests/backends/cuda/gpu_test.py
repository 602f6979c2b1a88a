# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the kernels do on the CPU, they do on a GPU: `make test-gpu`."""

from __future__ import annotations

import unittest

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tbp.monty.backends.cuda.availability import reason_against
from tbp.monty.backends.cuda.engine import CudaEngine
from tbp.monty.backends.cuda.failures import DeviceHangs, DeviceOutOfMemory
from tbp.monty.backends.cuda.settings import CudaSettings
from tests.backends.cuda import kernels_test
from tests.backends.cuda.kernels_test import bits, on_device
from tests.backends.scenes import Scene, build, random_scene, scenes

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(reason_against() is not None, reason=str(reason_against())),
]


class OnGpu:
    """Runs the tests of a test case on a GPU."""

    def make_lane(self):
        from tbp.monty.backends.cuda.gpu import GpuLane  # noqa: PLC0415

        lane = GpuLane(0, CudaSettings(np.dtype(np.float64), 60.0, None))
        self.addCleanup(lane.close)
        return lane


class EqualToTheStatementOnGpuTest(OnGpu, kernels_test.EqualToTheStatementTest):
    pass


class UnusableNumbersOnGpuTest(OnGpu, kernels_test.UnusableNumbersTest):
    pass


class BurstSamplingOnGpuTest(OnGpu, kernels_test.BurstSamplingTest):
    pass


class EqualToNumbaTest(OnGpu, unittest.TestCase):
    # More than 50 000 updates of a hypothesis.
    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(lms=st.lists(scenes(), min_size=1, max_size=5), fused=st.booleans())
    def test_to_the_last_bit(self, lms: list[Scene], fused: bool) -> None:
        from tbp.monty.backends import numba_kernel  # noqa: PLC0415

        for i, scene in enumerate(lms):
            scene.name = f"lm_{i}"
        table, graphs, work = build(lms)
        engine = CudaEngine(self.make_lane(), fused)
        device = on_device(engine, table)
        step = engine.begin(device, graphs, work)
        step.update()
        result = step.finish()
        expected = numba_kernel.update(table, graphs, work, fused=fused)
        for segment in range(len(table)):
            for name in ("evidence", "locations", "poses"):
                np.testing.assert_array_equal(
                    bits(device.read(segment, name)), bits(table.read(segment, name))
                )
        for name in ("highest", "most_likely", "prediction_error", "tested"):
            np.testing.assert_array_equal(
                bits(getattr(result, name)), bits(getattr(expected, name))
            )


class FailureTest(OnGpu, unittest.TestCase):
    def test_too_much_memory_names_what_was_asked_for_and_what_is_free(self) -> None:
        with self.assertRaisesRegex(
            DeviceOutOfMemory, "1024.0 GiB were asked for a test, and .* GiB of .* free"
        ):
            self.make_lane().allocate(2**40, "a test")

    def test_a_launch_that_takes_too_long_is_named(self) -> None:
        table, graphs, work = build([random_scene(1, hypotheses=300)])
        lane = self.make_lane()
        engine = CudaEngine(lane)
        step = engine.begin(on_device(engine, table), graphs, work)
        lane.wait()
        lane._time_limit = 0.0
        for _ in range(500):
            step.update()
        with self.assertRaisesRegex(
            DeviceHangs, "launch of '[a-z_]+' for learning modules lm"
        ):
            lane.wait(step._about)


if __name__ == "__main__":
    unittest.main()
