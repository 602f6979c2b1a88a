# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Times what GPUs do, stream by stream, with CUDA events.

Events are recorded around each launch and each copy, and read after a step, when the
host has waited for them anyway. Nothing here waits for a GPU.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from .schema import HOST
from .spans import Patches, Spans

__all__ = ["DeviceRows", "device_row", "process_of"]

COPIES = {1: "copy to device", 2: "copy to host"}
"""By cudaMemcpyKind."""


class _Base(NamedTuple):
    """An event, and when it took place by the host's clock, in nanoseconds."""

    event: Any
    host_ns: int


class _Work(NamedTuple):
    """A launch or a copy that may not be done yet."""

    name: str
    device: int
    stream: int
    base: _Base
    began: Any
    ended: Any
    args: dict[str, Any]


class DeviceRows:
    """Records the rows of GPUs in the timeline."""

    def __init__(self, spans: Spans, patches: Patches) -> None:
        self._spans = spans
        self._wrap = patches.wrap
        self._count = 0
        self._cuda: Any = None
        self._clocks: dict[int, Any] = {}
        """By GPU, a stream on which nothing but the base is recorded."""
        self._bases: dict[int, _Base] = {}
        self._queued: list[_Work] = []

    def attach(self, stream: Any) -> tuple[int, str, int] | None:
        """Records what a stream does from now on, if it is of a GPU.

        Returns:
            The number of the GPU, its name, and the number of the stream.
        """
        gpu = sys.modules.get("tbp.monty.backends.cuda.gpu")
        if gpu is None or not isinstance(stream, gpu.GpuStream):
            return None
        number, device = self._count, stream.device
        self._count += 1
        self._cuda = gpu.cupy.cuda
        if device not in self._clocks:
            with self._cuda.Device(device):
                self._clocks[device] = self._cuda.Stream(non_blocking=True)
            self._set_base(device)
        self._wrap(
            stream, "launch", lambda launch: self._launched(stream, number, launch)
        )
        for copy in ("_copy", "_copy_rows"):
            self._wrap(stream, copy, lambda copy: self._copied(stream, number, copy))
        return device, gpu.gpu_name(device), number

    def begin_step(self) -> None:
        """Compares the clocks again: those of GPU and host drift apart."""
        for device in self._clocks:
            self._set_base(device)

    def done(self) -> list[dict[str, Any]]:
        """Returns the events of all work that is done; see `schema`."""
        queued, self._queued = self._queued, []
        if not queued:
            return []
        elapsed_ms = self._cuda.get_elapsed_time
        found = []
        for work in queued:
            if not (work.base.event.done and work.ended.done):
                self._queued.append(work)
                continue
            began_ms = elapsed_ms(work.base.event, work.began)
            found.append(
                {
                    "name": work.name,
                    "pid": process_of(work.device),
                    "tid": device_row(work.stream),
                    "ts": work.base.host_ns + began_ms * 1e6,
                    "dur": elapsed_ms(work.began, work.ended) * 1e3,
                    "args": work.args,
                }
            )
        return found

    def _launched(self, stream: Any, number: int, launch: Callable) -> Callable:
        def launched(kernel: str, blocks: int, *rest: int) -> None:
            if blocks:
                self._record(
                    kernel, stream, number, lambda: launch(kernel, blocks, *rest)
                )

        return launched

    def _copied(self, stream: Any, number: int, copy: Callable) -> Callable:
        def copied(*args: Any) -> None:
            self._record(COPIES[args[-1]], stream, number, lambda: copy(*args))

        return copied

    def _record(self, name: str, stream: Any, number: int, queue: Callable) -> None:
        began, ended = self._event(stream.device), self._event(stream.device)
        began.record(stream._stream)
        queue()
        ended.record(stream._stream)
        spans, device = self._spans, stream.device
        args = {
            "episode": spans.episode,
            "step": spans.step,
            "stream": number,
            "device": device,
        }
        if spans.group is not None:
            args["group"] = spans.group
        base = self._bases[device]
        self._queued.append(_Work(name, device, number, base, began, ended, args))

    def _event(self, device: int) -> Any:
        with self._cuda.Device(device):
            return self._cuda.Event()

    def _set_base(self, device: int) -> None:
        event = self._event(device)
        # Its stream is idle, so that it takes place at once.
        event.record(self._clocks[device])
        self._bases[device] = _Base(event, time.perf_counter_ns())


def process_of(device: int) -> int:
    """Returns the process of a GPU in the timeline."""
    return HOST + 1 + device


def device_row(stream: int) -> int:
    """Returns the row of a stream in the timeline."""
    return 1 + stream
