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

import ctypes
import time
from functools import cache
from typing import Any, Callable, Iterable

import cupy
import numpy as np
import numpy.typing as npt

from tbp.monty.backends.cuda.settings import TIME_LIMIT, CudaSettings
from tbp.monty.backends.cuda.source import kernel_names, kernels_source
from tbp.monty.backends.device.stream import DeviceHangs
from tbp.monty.backends.failures import DeviceFault, OutOfDeviceMemory

__all__ = ["STAGED", "GpuStream", "gpu_count", "gpu_name"]

_driver, _runtime = cupy.cuda.driver, cupy.cuda.runtime
_DONE, _NOT_READY = 0, 600
"""Of cudaError_t."""

_SPIN_S = 0.02
"""How long to look whether the GPU is done without letting go of the processor."""

STAGED = 2**16
"""Bytes of the host that are kept for what is sent between two waits: more than a step
of a few learning modules sends. To ask CuPy's pool for memory takes longer than to
queue a transfer."""

_MOST_ARGUMENTS = 16
"""Of a kernel."""


def gpu_count() -> int:
    """Return how many GPUs are visible."""
    return _runtime.getDeviceCount()


def gpu_name(device: int) -> str:
    """Return what a GPU calls itself."""
    return _runtime.getDeviceProperties(device)["name"].decode()


@cache
def _kernels(device: int, real: np.dtype) -> dict[str, Any]:
    """Compile the kernels, as CuPy's functions; CuPy keeps the outcome on disk."""
    # Results are those of other backends only if nothing is contracted.
    options = ("--std=c++17", "--fmad=false")
    with cupy.cuda.Device(device):
        module = cupy.RawModule(code=kernels_source(real), options=options)
        names = kernel_names(real)
        return {name: module.get_function(name).kernel for name in names}


class _GpuMemory:
    def __init__(self, pointer: Any, nbytes: int) -> None:
        self._pointer = pointer  # keeps it
        self.address = pointer.ptr
        self.nbytes = nbytes


class _Arguments:
    """The arguments of a kernel in memory: each is a 64-bit integer or an address.

    Attributes:
        values: The arguments.
        address: Where their addresses are.
    """

    def __init__(self) -> None:
        self.values = (ctypes.c_longlong * _MOST_ARGUMENTS)()
        first, size = ctypes.addressof(self.values), ctypes.sizeof(ctypes.c_longlong)
        each = (first + i * size for i in range(_MOST_ARGUMENTS))
        self._addresses = (ctypes.c_void_p * _MOST_ARGUMENTS)(*each)
        self.address = ctypes.addressof(self._addresses)


class GpuStream:
    """A stream of a GPU, with memory of its own.

    Launches and transfers call CUDA directly: CuPy would switch GPU and stream, and
    look at the type of each argument, which takes longer than what CUDA does.
    """

    def __init__(self, device: int, settings: CudaSettings) -> None:
        """Open a stream.

        Args:
            device: The number of the GPU.
            settings: How to use it.
        """
        self.device = device
        self.where = f"device {device}"
        self.real = settings.real
        self._time_limit = settings.time_limit_s
        self._device = cupy.cuda.Device(device)
        self._kernels = _kernels(device, self.real)
        with self._device:
            self._stream = cupy.cuda.Stream(non_blocking=True)
            self._event = cupy.cuda.Event(disable_timing=True)
            self._context = _driver.ctxGetCurrent()
            self._pool = cupy.cuda.MemoryPool()
        self._pinned = cupy.cuda.PinnedMemoryPool()
        self._kept = self._pinned.malloc(STAGED)
        self._kept_bytes = np.frombuffer(self._kept, np.uint8, STAGED)
        self._kept_used = 0
        self._in_flight: list[object] = []
        """Other memory of the host, held until the transfers are over: a pool gives
        memory to the next who asks."""
        self._arguments = _Arguments()
        self._launched: list[str] = []

    def allocate(self, nbytes: int, what: str) -> _GpuMemory:
        try:
            with self._device, self._stream:
                pointer = self._pool.malloc(nbytes)
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

    def send(self, address: int, data: bytes) -> None:
        nbytes = len(data)
        if nbytes:
            here, _, _ = self._staging(nbytes)
            ctypes.memmove(here, data, nbytes)
            self._copy(address, here, nbytes, _runtime.memcpyHostToDevice)

    def fetch(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:
        here, buffer, first = self._staging(nbytes)
        if nbytes:
            self._copy(here, address, nbytes, _runtime.memcpyDeviceToHost)
        return buffer[first : first + nbytes]

    def launch(self, kernel: str, blocks: int, threads: int, *arguments: int) -> None:
        if blocks == 0:
            return
        self._arguments.values[: len(arguments)] = [*arguments]
        # Blocks and threads along three axes, and no shared memory but the kernel's
        # own. CUDA copies the arguments before it returns.
        self._call(
            _driver.launchKernel,
            self._kernels[kernel].ptr,
            *(blocks, 1, 1, threads, 1, 1),
            0,
            self._stream.ptr,
            self._arguments.address,
            0,
        )
        self._launched.append(kernel)

    def wait(self, about: Callable[[], str] | None = None) -> None:
        self._event.record(self._stream)
        began = time.perf_counter()
        while not self._is_done(about):
            waited = time.perf_counter() - began
            if waited > self._time_limit:
                raise DeviceHangs(self._hanging(waited, about))
            if waited > _SPIN_S:
                time.sleep(1e-4)
        self._launched.clear()
        self._in_flight.clear()
        self._kept_used = 0

    def close(self) -> None:
        """Free everything."""
        self._in_flight.clear()
        self._launched.clear()
        self._kept = None
        self._kept_bytes = np.zeros(0, dtype=np.uint8)
        self._kept_used = STAGED
        with self._device:
            self._pool.free_all_blocks()
        self._pinned.free_all_blocks()

    def _call(self, function: Callable[..., None], *arguments: int) -> None:
        """Call CUDA with the GPU as the current one; it nearly always is."""
        if _driver.ctxGetCurrent() == self._context:
            function(*arguments)
            return
        with self._device:
            if _driver.ctxGetCurrent() != self._context:
                _runtime.memGetInfo()  # a thread has no context before such a call
            function(*arguments)

    def _staging(self, nbytes: int) -> tuple[int, npt.NDArray[np.uint8], int]:
        """Return memory of the host, which is free at the next wait.

        Args:
            nbytes: How much.

        Returns:
            Its address, and where it is in which buffer.
        """
        first = self._kept_used
        if first + nbytes <= STAGED:
            self._kept_used += nbytes
            return self._kept.ptr + first, self._kept_bytes, first
        pinned = self._pinned.malloc(nbytes)
        self._in_flight.append(pinned)
        return pinned.ptr, np.frombuffer(pinned, np.uint8, nbytes), 0

    def _copy(self, to: int, source: int, nbytes: int, kind: int) -> None:
        stream = self._stream.ptr
        self._call(_runtime.memcpyAsync, to, source, nbytes, kind, stream)

    def _is_done(self, about: Callable[[], str] | None) -> bool:
        status = _runtime.eventQuery(self._event.ptr)
        if status in {_DONE, _NOT_READY}:
            return status == _DONE
        raise DeviceFault(
            f"GPU {self.device}: {_runtime.CUDARuntimeError(status)}, in "
            f"{_one_of(self._launched)}{_for(about)}. This process cannot "
            "use the GPU any more; run it again, or with another backend"
        )

    def _hanging(self, waited: float, about: Callable[[], str] | None) -> str:
        return (
            f"GPU {self.device}: {_one_of(self._launched)}{_for(about)} has not ended "
            f"after {waited:.0f} s. If that is what it takes, set {TIME_LIMIT} to more "
            "seconds"
        )


def _one_of(launched: Iterable[str]) -> str:
    """Return what may be at fault of all that was launched since the last wait."""
    names = list(dict.fromkeys(launched))
    if not names:
        return "a transfer"
    if len(names) == 1:
        return f"a launch of {names[0]!r} or a transfer"
    return f"one of the launches of {', '.join(map(repr, names))} or a transfer"


def _for(about: Callable[[], str] | None) -> str:
    return "" if about is None else f" for {about()}"


def _size(nbytes: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20)):
        if nbytes >= size:
            return f"{nbytes / size:.1f} {unit}"
    return f"{nbytes} bytes"
