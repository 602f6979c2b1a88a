# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Groups on the backend `cuda`. Its kernels run on the CPU here."""

from __future__ import annotations

import numpy as np

from tbp.monty.backends.builtin.cuda import CudaBackend
from tbp.monty.backends.builtin.numba import NumbaBackend
from tbp.monty.backends.described_work import DescribedWork
from tests.backends import groups_test
from tests.backends.cuda.host_device import HostStream
from tests.backends.groups_test import EACH, KINDS, MIXED, ONE, STEPS, lms_of, step
from tests.backends.scene_lms import SceneLM

STAGES = ["score_nodes", "update", "combine", "find_likely"]


class WithCuda:
    """Runs the tests of `numba` with the backend `cuda`."""

    backend_class = CudaBackend

    def make_backend(self) -> CudaBackend:
        self.streams: list = []
        backend = self.backend_class(self.open_stream)
        self.addCleanup(backend.close)
        return backend

    def open_stream(self, _: int):
        self.streams.append(self.make_stream())
        return self.streams[-1]

    def make_stream(self):
        return HostStream()

    def updates(self) -> int:
        return sum(stream.launched.count("update") for stream in self.streams)


class CudaSameBitsTest(WithCuda, groups_test.SameBitsTest):
    def test_results_equal_those_of_numba(self) -> None:
        numba = groups_test.NumbaGroupsTestCase()
        self.addCleanup(numba.doCleanups)
        for kind in KINDS:
            with self.subTest(kind):
                expected = numba.run_steps([kind], [ONE] * STEPS)
                found = self.run_steps([kind], [MIXED] * STEPS)
                np.testing.assert_equal(found, expected)


class WholeNumbersTest(WithCuda, groups_test.NumbaGroupsTestCase):
    def test_are_pose_vectors_as_well(self) -> None:
        for kind in KINDS:
            with self.subTest(kind=kind):
                found = []
                for backend in (self.make_backend(), NumbaBackend()):
                    self.addCleanup(backend.close)
                    lms = [_SensingWholeNumbers(i, kind) for i in range(2)]
                    for _ in range(3):
                        self.assertEqual(step(backend, lms, [(0, 1)]), [None, None])
                    found.append([lm.beliefs() for lm in lms])
                np.testing.assert_equal(*found)


class _SensingWholeNumbers(SceneLM):
    def next_work(self) -> DescribedWork:
        work = super().next_work()
        percepts = work.describe().percepts
        for channel, percept in percepts.items():
            percepts[channel] = percept._replace(pose_vectors=np.eye(3, dtype=int))
        return work


class CudaLaunchesTest(WithCuda, groups_test.LaunchesTest):
    def test_each_group_has_a_stream_and_each_stage_one_launch(self) -> None:
        for groups in (ONE, EACH, MIXED):
            with self.subTest(groups=groups):
                backend, lms = self.make_backend(), lms_of("default")
                for _ in range(2):
                    step(backend, lms, groups)
                before = [len(stream.launched) for stream in self.streams]
                step(backend, lms, groups)
                self.assertEqual(len(self.streams), len(groups))
                for stream, count in zip(self.streams, before, strict=True):
                    self.assertEqual(stream.launched[count:], STAGES)

    def test_a_dissolved_group_frees_its_stream(self) -> None:
        closed = []

        class Closing(HostStream):
            def close(self) -> None:
                closed.append(self)

        self.make_stream = Closing
        backend, lms = self.make_backend(), lms_of("default")
        step(backend, lms, MIXED)
        step(backend, lms, ONE)
        self.assertEqual(closed, self.streams[:2])


class CudaFaultTest(WithCuda, groups_test.FaultTest):
    pass
