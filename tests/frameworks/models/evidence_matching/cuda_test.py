# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The CUDA backends do what the learning modules' own update does.

The kernels run on the CPU here; everything else runs as it does with a GPU.
"""

from __future__ import annotations

import unittest

import numpy as np

from tbp.monty.backends.builtin.cuda import CudaBackend
from tbp.monty.backends.device.counting import CountingStream
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tests.backends.cuda.host_device import HostStream
from tests.frameworks.models.evidence_matching import numba_test
from tests.frameworks.models.evidence_matching.learned import (
    learned_lm,
    percepts_of,
)
from tests.frameworks.models.evidence_matching.two_phase_test import monty_of, step


class OnHost:
    """Runs the tests of the numba backend with the backend `cuda`."""

    backend_class = CudaBackend

    def make_backend(self) -> CudaBackend:
        self.streams: list[CountingStream] = []
        return self.backend_class(self.open_stream)

    def open_stream(self, _: int) -> CountingStream:
        self.streams.append(CountingStream(HostStream()))
        return self.streams[-1]


class CudaSameAsReferenceTest(OnHost, numba_test.SameAsReferenceTest):
    pass


class CudaSharedStateTest(OnHost, numba_test.SharedStateTest):
    pass


class CudaRefusalTest(OnHost, numba_test.RefusalTest):
    pass


class BytesMovedTest(OnHost, unittest.TestCase):
    def test_do_not_depend_on_the_number_of_hypotheses(self) -> None:
        for updater in (DefaultHypothesesUpdater, BurstSamplingHypothesesUpdater):
            with self.subTest(updater.__name__):
                few, many = (
                    self.bytes_of_a_step(updater, poses)
                    for poses in ([[0, 0, 0]], [[0, 0, 10 * i] for i in range(30)])
                )
                # The division of rows into blocks is sent only when it changes.
                self.assertAlmostEqual(few[0], many[0], delta=64)
                self.assertEqual(few[1], many[1])

    def bytes_of_a_step(self, updater: type, poses: list) -> tuple[int, int]:
        lm = learned_lm(
            hypotheses_updater_class=updater,
            hypotheses_updater_args=dict(initial_possible_poses=poses),
        )
        monty = monty_of(lm, backend=self.make_backend())
        self.addCleanup(monty.close)
        first, second, third, *_ = percepts_of(1)
        for percept in (first, second):
            step(monty, [percept])
        # Without a burst, nodes are not sorted and blocks of hypotheses stay the same.
        lm.hypotheses_updater.sampling_burst_steps = 0
        lm.hypotheses_updater.burst_trigger_slope = -np.inf
        moved = self.streams[0].moved
        before = moved.to_device, moved.from_device
        step(monty, [third])
        return moved.to_device - before[0], moved.from_device - before[1]


class SecondMostLikelyTest(OnHost, unittest.TestCase):
    def test_is_told_without_reading_the_evidence_of_others(self) -> None:
        lm, found = learned_lm(), 0
        monty = monty_of(lm, backend=self.make_backend())
        self.addCleanup(monty.close)
        for percept in percepts_of(1):
            step(monty, [percept])
            (stream,) = self.streams
            for graph_id, hypotheses in lm._hypotheses.items():
                before = stream.moved.from_device
                _, second = lm.get_top_two_pose_hypotheses_for_graph_id(graph_id)
                found += stream.moved.from_device == before
                place = second["mlh_id"]
                self.assertEqual(place, np.argsort(np.array(hypotheses.evidence))[-2])
                self.assertIs(type(place), np.int64)
                for name in ("evidence", "location"):
                    column = getattr(hypotheses, name.replace("ion", "ions"))
                    np.testing.assert_array_equal(second[name], np.array(column)[place])
        self.assertGreater(found, 0)
