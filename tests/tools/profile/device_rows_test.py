# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The rows of GPUs, with a stand-in for CuPy whose clock the tests set."""

from __future__ import annotations

import contextlib
import sys
import time
import types
import unittest
from typing import Any
from unittest.mock import patch

from monty_tools.profile.device_rows import DeviceRows, device_row, process_of
from monty_tools.profile.spans import Patches, Spans


class Clock:
    """The time on a GPU, in milliseconds."""

    now = 100.0


class FakeEvent:
    def __init__(self) -> None:
        self.at: float | None = None
        self.done = True

    def record(self, stream: Any) -> None:
        self.at = max(Clock.now, getattr(stream, "busy_until", 0.0))


class FakeGpuStream:
    """Queues work that takes a millisecond for each block."""

    def __init__(self, device: int = 0) -> None:
        self.device = device
        self._stream = types.SimpleNamespace(busy_until=0.0)

    def launch(self, kernel: str, blocks: int, threads: int) -> None:  # noqa: ARG002
        began = max(Clock.now, self._stream.busy_until)
        self._stream.busy_until = began + blocks

    def _copy(self, to: int, source: int, nbytes: int, kind: int) -> None: ...

    def _copy_rows(self, to: Any, source: Any, rows: int, kind: int) -> None: ...


def fake_gpu() -> types.ModuleType:
    gpu: Any = types.ModuleType("gpu")
    gpu.GpuStream = FakeGpuStream
    gpu.gpu_name = "GPU of the tests {}".format
    gpu.cupy = types.SimpleNamespace(
        cuda=types.SimpleNamespace(
            Device=lambda _: contextlib.nullcontext(),
            Stream=lambda non_blocking: types.SimpleNamespace(),  # noqa: ARG005
            Event=FakeEvent,
            get_elapsed_time=lambda began, ended: ended.at - began.at,
        )
    )
    return gpu


class DeviceRowsTest(unittest.TestCase):
    def setUp(self) -> None:
        Clock.now = 100.0
        modules = {"tbp.monty.backends.cuda.gpu": fake_gpu()}
        patched = patch.dict(sys.modules, modules)
        patched.start()
        self.addCleanup(patched.stop)
        self.spans = Spans()
        self.patches = Patches()
        self.rows = DeviceRows(self.spans, self.patches)
        self.streams = [FakeGpuStream(), FakeGpuStream()]
        found = [self.rows.attach(stream) for stream in self.streams]
        self.assertEqual(found[1], (0, "GPU of the tests 0", 1))

    def test_kernels_of_streams_have_their_own_beginning_and_end(self) -> None:
        self.spans.episode, self.spans.step = 2, 5
        before = time.perf_counter_ns()
        self.rows.begin_step()
        for group, stream in enumerate(self.streams):
            self.spans.group = group
            stream.launch("update", 3, 128)
            Clock.now += 1
        self.streams[0].launch("combine", 2, 128)
        first, second, third = self.rows.done()
        self.assertEqual(
            [one["name"] for one in (first, second, third)].count("update"), 2
        )
        self.assertEqual([first["dur"], second["dur"], third["dur"]], [3e3, 3e3, 2e3])
        # In nanoseconds of the host; the second began a millisecond later.
        self.assertLess(abs(first["ts"] - before), 1e8)
        self.assertAlmostEqual(second["ts"] - first["ts"], 1e6, delta=1)
        self.assertAlmostEqual(third["ts"] - first["ts"], 3e6, delta=1)
        self.assertEqual((first["pid"], first["tid"]), (process_of(0), device_row(0)))
        self.assertEqual(second["tid"], device_row(1))
        self.assertEqual(
            second["args"],
            {"episode": 2, "step": 5, "stream": 1, "device": 0, "group": 1},
        )

    def test_copies_have_their_direction(self) -> None:
        [stream, _] = self.streams
        stream._copy(1, 2, 3, 1)
        stream._copy_rows((1, 1), (1, 1), 1, 2)
        names = [event["name"] for event in self.rows.done()]
        self.assertEqual(names, ["copy to device", "copy to host"])

    def test_a_launch_without_blocks_is_none(self) -> None:
        self.streams[0].launch("update", 0, 128)
        self.assertEqual(self.rows.done(), [])

    def test_work_that_is_not_done_is_read_later(self) -> None:
        self.streams[0].launch("update", 3, 128)
        work = self.rows._queued[0]
        work.ended.done = False
        self.assertEqual(self.rows.done(), [])
        work.ended.done = True
        self.assertEqual(len(self.rows.done()), 1)
        self.assertEqual(self.rows.done(), [])

    def test_streams_that_are_of_no_gpu_are_left_alone(self) -> None:
        stream = types.SimpleNamespace(launch=print)
        self.assertIsNone(self.rows.attach(stream))
        self.assertIs(stream.launch, print)

    def test_streams_are_as_before_at_the_end(self) -> None:
        self.patches.close()
        self.assertNotIn("launch", vars(self.streams[0]))


if __name__ == "__main__":
    unittest.main()
