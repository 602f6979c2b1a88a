# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses of a group in one launch per stage, on a GPU."""

from __future__ import annotations

from typing import Callable, ClassVar

from tbp.monty.backends.cuda.availability import reason_against
from tbp.monty.backends.cuda.settings import CudaSettings
from tbp.monty.backends.device.counting import CountingStream
from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.device.stream import Stream
from tbp.monty.backends.stacked.backend import StackedBackend

__all__ = ["CudaBackend"]


class CudaBackend(StackedBackend):
    """Gives each group its own stream, so that groups run concurrently."""

    name: ClassVar[str] = "cuda"
    where: ClassVar[str] = "GPU"
    summary: ClassVar[str] = "one launch per stage and group, resident on the GPU"
    priority: ClassVar[int] = 200

    def __init__(self, open_stream: Callable[[int], Stream] | None = None) -> None:
        """Open the backend.

        Args:
            open_stream: Opens a stream, given how many are open. By default, streams
                go to the GPUs in turn.
        """
        super().__init__(self._engine_on_stream)
        self._open_stream = open_stream or _streams_of_gpus(
            CudaSettings.from_environment()
        )
        self._streams: list[CountingStream] = []

    @staticmethod
    def unavailable() -> str | None:
        return reason_against()

    def note(self) -> str:
        if not self.dispatched:
            return super().note()
        moved = [stream.moved for stream in self._streams]
        to_device = sum(one.to_device for one in moved) / self.dispatched / 1024
        from_device = sum(one.from_device for one in moved) / self.dispatched / 1024
        peak = sum(stream.peak for stream in self._streams) / 2**20
        return (
            f"{super().note()}; moved {to_device:.1f} KiB to the GPU and "
            f"{from_device:.1f} KiB back per step and learning module, at most "
            f"{peak:.0f} MiB in use there"
        )

    def _engine_on_stream(self) -> DeviceEngine:
        engine = self._make_engine(self._open_stream(len(self._streams)))
        self._streams.append(engine.stream)
        return engine

    def _make_engine(self, stream: Stream) -> DeviceEngine:
        return DeviceEngine(stream)


def _streams_of_gpus(settings: CudaSettings) -> Callable[[int], Stream]:
    from tbp.monty.backends.cuda.gpu import GpuStream, gpu_count  # noqa: PLC0415

    devices = settings.devices or tuple(range(gpu_count()))
    return lambda streams: GpuStream(devices[streams % len(devices)], settings)
