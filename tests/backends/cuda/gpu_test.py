# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The tests of the kernels, on a GPU instead of the CPU: `make test-gpu`."""

from __future__ import annotations

import unittest

import numpy as np
import pytest

from tbp.monty.backends.cuda.availability import reason_against
from tbp.monty.backends.cuda.settings import CudaSettings
from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.device.stream import DeviceHangs
from tbp.monty.backends.failures import OutOfDeviceMemory
from tests.backends import voting_test
from tests.backends.cuda import faults_test, groups_test, kernels_test
from tests.backends.cuda.kernels_test import bits, on_device
from tests.backends.many_updates_test import run_until
from tests.backends.scenes import Scene, build, random_scene

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(reason_against() is not None, reason=str(reason_against())),
]


class OnGpu:
    """Runs the tests of a test case on a GPU."""

    def make_stream(self, real: type = np.float64):
        from tbp.monty.backends.cuda.gpu import GpuStream  # noqa: PLC0415

        stream = GpuStream(0, CudaSettings(np.dtype(real), 60.0, None))
        self.addCleanup(stream.close)
        return stream


class EqualToNumpyOnGpuTest(OnGpu, kernels_test.EqualToNumpyTest):
    pass


class UnusableNumbersOnGpuTest(OnGpu, kernels_test.UnusableNumbersTest):
    pass


class BurstSamplingOnGpuTest(OnGpu, kernels_test.BurstSamplingTest):
    pass


class ChosenNodesOnGpuTest(OnGpu, kernels_test.ChosenNodesTest):
    graphs = 10
    most_nodes = 5_000
    times = 100


class SinglePrecisionOnGpuTest(OnGpu, kernels_test.SinglePrecisionTest):
    pass


class AddVotesOnGpuTest(OnGpu, voting_test.DeviceAddVotesTest):
    pass


class LikelyRowsOnGpuTest(OnGpu, voting_test.DeviceLikelyRowsTest):
    pass


class DisplaceOnGpuTest(OnGpu, voting_test.DeviceDisplaceTest):
    pass


class OnStreams:
    """Runs the tests of groups on a GPU."""

    def make_stream(self):
        from tbp.monty.backends.cuda.gpu import GpuStream  # noqa: PLC0415

        class CountingStream(GpuStream):
            def __init__(self) -> None:
                super().__init__(0, CudaSettings(np.dtype(np.float64), 60.0, None))
                self.launched: list[str] = []

            def launch(self, kernel, *arguments) -> None:
                self.launched.append(kernel)
                super().launch(kernel, *arguments)

        return CountingStream()


class SameBitsOnGpuTest(OnStreams, groups_test.CudaSameBitsTest):
    pass


class LaunchesOnGpuTest(OnStreams, groups_test.CudaLaunchesTest):
    test_a_dissolved_group_frees_its_stream = None


class FaultOnGpuTest(OnStreams, groups_test.CudaFaultTest):
    pass


class OnStreamsOfBackends:
    """Runs the tests of faults on a GPU; backends close their streams."""

    def make_stream(self):
        from tbp.monty.backends.cuda.gpu import GpuStream  # noqa: PLC0415

        return GpuStream(0, CudaSettings(np.dtype(np.float64), 60.0, None))


class SomeFaultsOnGpuTest(OnStreamsOfBackends, faults_test.SomeFaultsTest):
    pass


@pytest.mark.thorough
class AllFaultsOnGpuTest(OnStreamsOfBackends, faults_test.AllFaultsTest):
    pass


class EqualToNumbaTest(OnGpu, unittest.TestCase):
    def test_fifty_thousand_updates_to_the_last_bit(self) -> None:
        run_until(50_000, 0, self.assert_same)

    def assert_same(self, lms: list[Scene]) -> int:
        """Check that both do the same; return the number of updates."""
        from tbp.monty.backends import numba as numba_kernels  # noqa: PLC0415

        table, graphs, work = build(lms)
        engine = DeviceEngine(self.make_stream())
        device = on_device(engine, table)
        step = engine.begin(device, graphs, work)
        step.update()
        result = step.finish()
        expected = numba_kernels.update(table, graphs, work)
        for segment in range(len(table)):
            for name in ("evidence", "locations", "poses"):
                np.testing.assert_array_equal(
                    bits(device.read(segment, name)), bits(table.read(segment, name))
                )
        for name in ("highest", "most_likely", "prediction_error", "tested"):
            np.testing.assert_array_equal(
                bits(getattr(result, name)), bits(getattr(expected, name))
            )
        return int(table.counts.sum())


class StagingTest(OnGpu, unittest.TestCase):
    def test_what_is_sent_between_two_waits_does_not_overlap(self) -> None:
        from tbp.monty.backends.cuda.gpu import STAGED  # noqa: PLC0415

        stream = self.make_stream()
        sizes = [3, 0, 64, 100, STAGED - 300, 65, STAGED, 1]
        memory = stream.allocate(sum(sizes), "a test")
        address = memory.address
        for i, size in enumerate(sizes):
            stream.send(address, bytes([i]) * size)
            address += size
        fetched = stream.fetch(memory.address, memory.nbytes)
        stream.wait()
        np.testing.assert_array_equal(fetched, np.repeat(np.arange(8), sizes))

    def test_what_is_fetched_together_is_there_after_one_wait(self) -> None:
        from tbp.monty.backends.cuda.gpu import STAGED  # noqa: PLC0415

        stream = self.make_stream()
        memory = stream.allocate(3 * STAGED, "a test")
        stream.send(memory.address, bytes(range(256)) * (3 * STAGED // 256))
        stream.wait()
        stretches = [(0, 8), (3, 100), (1, STAGED), (5, 2 * STAGED), (7, 1)]
        fetched = [stream.fetch(memory.address + at, size) for at, size in stretches]
        stream.wait()
        for part, (at, size) in zip(fetched, stretches, strict=True):
            np.testing.assert_array_equal(part, np.arange(at, at + size) % 256)


class FailureTest(OnGpu, unittest.TestCase):
    def test_out_of_memory_names_the_requested_and_the_free_memory(self) -> None:
        with self.assertRaisesRegex(
            OutOfDeviceMemory, "1024.0 GiB were asked for a test, and .* GiB of .* free"
        ):
            self.make_stream().allocate(2**40, "a test")

    def test_launches_that_take_too_long_are_named(self) -> None:
        # Enough work to keep the GPU busy until the time limit is checked.
        table, graphs, work = build([random_scene(1, hypotheses=300_000)])
        stream = self.make_stream()
        engine = DeviceEngine(stream)
        step = engine.begin(on_device(engine, table), graphs, work)
        stream.wait()
        stream._time_limit = 0.0
        for _ in range(50):
            step.update()
        with self.assertRaisesRegex(
            DeviceHangs, "launches of '.*'update', .* for learning modules lm"
        ):
            stream.wait(step._about)


if __name__ == "__main__":
    unittest.main()
