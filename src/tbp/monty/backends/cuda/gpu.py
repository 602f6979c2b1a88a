# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""GPUs, through CuPy: memory, transfers, launches."""

from __future__ import annotations

import time
from functools import cache
from typing import Any, Callable

import cupy
import numpy as np
import numpy.typing as npt

from tbp.monty.backends.cuda.settings import TIME_LIMIT, CudaSettings
from tbp.monty.backends.cuda.source import kernel_names, kernels_source
from tbp.monty.backends.device.stream import DeviceFault, DeviceHangs, Moved
from tbp.monty.backends.resident_backend import OutOfDeviceMemory

__all__ = ["GpuStream", "gpu_count", "gpu_name"]

_runtime = cupy.cuda.runtime
_DONE, _NOT_READY = 0, 600
"""Of cudaError_t."""

_SPIN_S = 0.02
"""How long to look whether the GPU is done without letting go of the processor."""


def gpu_count() -> int:
    """Return how many GPUs are visible."""
    return _runtime.getDeviceCount()


def gpu_name(device: int) -> str:
    """Return what a GPU calls itself."""
    return _runtime.getDeviceProperties(device)["name"].decode()


@cache
def _kernels(device: int, real: np.dtype) -> dict[str, Callable]:
    """Compile the kernels; CuPy keeps the outcome on disk."""
    # Results are those of other backends only if nothing is contracted.
    options = ("--std=c++17", "--fmad=false")
    with cupy.cuda.Device(device):
        module = cupy.RawModule(code=kernels_source(real), options=options)
        names = kernel_names(real)
        return {name: module.get_function(name) for name in names}


class _GpuMemory:
    def __init__(self, pointer: Any, nbytes: int) -> None:
        self._pointer = pointer  # keeps it
        self.address = pointer.ptr
        self.nbytes = nbytes


class GpuStream:
    """A stream of a GPU, with memory of its own."""

    def __init__(self, device: int, settings: CudaSettings) -> None:
        """Open a stream.

        Args:
            device: The number of the GPU.
            settings: How to use it.
        """
        self.device = device
        self.where = f"device {device}"
        self.real = settings.real
        self.moved = Moved()
        self.peak = 0
        self._time_limit = settings.time_limit_s
        self._device = cupy.cuda.Device(device)
        self._kernels = _kernels(device, self.real)
        with self._device:
            self._stream = cupy.cuda.Stream(non_blocking=True)
            self._pool = cupy.cuda.MemoryPool()
        self._pinned = cupy.cuda.PinnedMemoryPool()
        self._in_flight: list = []
        self._launches: list[tuple[str, cupy.cuda.Event]] = []
        self._events: list[cupy.cuda.Event] = []

    def allocate(self, nbytes: int, what: str) -> _GpuMemory:
        try:
            with self._device, self._stream:
                pointer = self._pool.malloc(nbytes)
                self.peak = max(self.peak, self._pool.total_bytes())
        except cupy.cuda.memory.OutOfMemoryError as error:
            with self._device:
                free, total = _runtime.memGetInfo()
            raise OutOfDeviceMemory(
                f"GPU {self.device} ({gpu_name(self.device)}): {_size(nbytes)} were "
                f"asked for {what}, and {_size(free)} of {_size(total)} are free; "
                f"{_size(self._pool.used_bytes())} are in use here. Use fewer objects "
                "or learning modules, MONTY_CUDA_PRECISION=float32, or a backend of "
                "the CPU"
            ) from error
        return _GpuMemory(pointer, nbytes)

    def pooled(self) -> int:
        with self._device:  # a pool answers for the current GPU
            return self._pool.free_bytes()

    def staging(self, nbytes: int) -> npt.NDArray[np.uint8]:
        # Kept until the transfer is over, as the pool gives it to the next who asks.
        pointer = self._pinned.malloc(max(nbytes, 1))
        self._in_flight.append(pointer)
        return np.frombuffer(pointer, dtype=np.uint8, count=nbytes)

    def send(self, address: int, staging: npt.NDArray[np.uint8]) -> None:
        self.moved.to_device += staging.nbytes
        if staging.nbytes:
            to_device = _runtime.memcpyHostToDevice
            self._copy(address, staging.ctypes.data, staging.nbytes, to_device)

    def write(self, address: int, pitch: int, rows: npt.NDArray) -> None:
        if rows.nbytes == 0:
            return
        staging = self.staging(rows.nbytes)
        staging[:] = np.ascontiguousarray(rows).reshape(-1).view(np.uint8)
        self.moved.to_device += rows.nbytes
        width = rows.nbytes // len(rows)
        there, here = (address, max(pitch, width)), (staging.ctypes.data, width)
        self._copy_rows(there, here, len(rows), _runtime.memcpyHostToDevice)

    def fetch(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:
        fetched = self.staging(nbytes)
        self.moved.from_device += nbytes
        if nbytes:
            to_host = _runtime.memcpyDeviceToHost
            self._copy(fetched.ctypes.data, address, nbytes, to_host)
        return fetched

    def read(
        self, address: int, pitch: int, shape: tuple[int, int], dtype: np.dtype
    ) -> npt.NDArray:
        rows = np.empty(shape, dtype=dtype)
        if rows.nbytes == 0:
            return rows
        staging = self.staging(rows.nbytes)
        self.moved.from_device += rows.nbytes
        width = rows.nbytes // len(rows)
        there, here = (address, max(pitch, width)), (staging.ctypes.data, width)
        self._copy_rows(here, there, len(rows), _runtime.memcpyDeviceToHost)
        self.wait()
        rows.reshape(-1).view(np.uint8)[:] = staging
        return rows

    def launch(self, kernel: str, blocks: int, threads: int, *arguments: int) -> None:
        if blocks == 0:
            return
        event = self._events.pop() if self._events else self._new_event()
        with self._device, self._stream:
            self._kernels[kernel]((blocks,), (threads,), arguments)
        event.record(self._stream)
        self._launches.append((kernel, event))

    def wait(self, about: Callable[[], str] | None = None) -> None:
        event = self._events.pop() if self._events else self._new_event()
        event.record(self._stream)
        began = time.perf_counter()
        while not self._is_done(event, about):
            waited = time.perf_counter() - began
            if waited > self._time_limit:
                raise DeviceHangs(self._hanging(waited, about))
            if waited > _SPIN_S:
                time.sleep(1e-4)
        self._events.append(event)
        self._events.extend(event for _, event in self._launches)
        self._launches.clear()
        self._in_flight.clear()

    def close(self) -> None:
        """Free everything."""
        self._in_flight.clear()
        self._launches.clear()
        self._events.clear()
        with self._device:
            self._pool.free_all_blocks()
        self._pinned.free_all_blocks()

    def _copy(self, to: int, source: int, nbytes: int, kind: int) -> None:
        with self._device:
            _runtime.memcpyAsync(to, source, nbytes, kind, self._stream.ptr)

    def _copy_rows(
        self, to: tuple[int, int], source: tuple[int, int], rows: int, kind: int
    ) -> None:
        """Copy rows between addresses, given with the bytes from row to row."""
        # On the host, rows lie next to each other.
        width = min(to[1], source[1])
        with self._device:
            _runtime.memcpy2DAsync(*to, *source, width, rows, kind, self._stream.ptr)

    def _new_event(self) -> cupy.cuda.Event:
        with self._device:
            return cupy.cuda.Event(disable_timing=True)

    def _is_done(self, event: Any, about: Callable[[], str] | None) -> bool:
        status = _runtime.eventQuery(event.ptr)
        if status in {_DONE, _NOT_READY}:
            return status == _DONE
        raise DeviceFault(
            f"GPU {self.device}: {_runtime.CUDARuntimeError(status)}, in "
            f"{self._unfinished()} or one before it{_for(about)}. This process cannot "
            "use the GPU any more; run it again, or with another backend"
        )

    def _unfinished(self) -> str:
        for kernel, event in self._launches:
            if _runtime.eventQuery(event.ptr) != _DONE:
                return f"the launch of {kernel!r}"
        return "a transfer"

    def _hanging(self, waited: float, about: Callable[[], str] | None) -> str:
        return (
            f"GPU {self.device}: {self._unfinished()}{_for(about)} has not ended after "
            f"{waited:.0f} s. If that is what it takes, set {TIME_LIMIT} to more "
            "seconds"
        )


def _for(about: Callable[[], str] | None) -> str:
    return "" if about is None else f" for {about()}"


def _size(nbytes: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20)):
        if nbytes >= size:
            return f"{nbytes / size:.1f} {unit}"
    return f"{nbytes} bytes"
