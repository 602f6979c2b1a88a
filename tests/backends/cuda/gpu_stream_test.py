# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Launches, transfers and waits of a GPU, with a stand-in for CuPy.

Its memory is the host's, and it reads the arguments of a launch as CUDA does.
"""

from __future__ import annotations

import ctypes
import sys
import types
import unittest
from importlib import util
from typing import Any

import numpy as np

from tbp.monty.backends import cuda
from tbp.monty.backends.cuda.settings import CudaSettings
from tbp.monty.backends.device.stream import DeviceFault, DeviceHangs

NOT_READY, ILLEGAL_ADDRESS = 600, 700


class FakeCuda:
    """Counts what it is asked to do.

    Attributes:
        context: The context of the current GPU: 10 for the first, 11 for the second.
        launches: For each launch its kernel, blocks, threads, context and arguments.
        status: What queries of an event return.
    """

    def __init__(self) -> None:
        self.context = 10
        self.launches: list[tuple] = []
        self.status = 0

    def module(self) -> Any:
        pointers = types.SimpleNamespace(
            malloc=self._allocated, free_all_blocks=lambda: None
        )
        driver = types.SimpleNamespace(
            ctxGetCurrent=lambda: self.context, launchKernel=self._launch
        )
        runtime = types.SimpleNamespace(
            memcpyHostToDevice=1,
            memcpyDeviceToHost=2,
            memcpyAsync=lambda to, source, nbytes, *_: ctypes.memmove(
                to, source, nbytes
            ),
            memGetInfo=lambda: (0, 0),
            eventQuery=lambda _: self.status,
            CUDARuntimeError="error {}".format,
        )
        event = types.SimpleNamespace(ptr=5, record=lambda _: None)
        made: Any = types.ModuleType("cupy")
        made.RawModule = lambda **_: types.SimpleNamespace(get_function=_function)
        made.cuda = types.SimpleNamespace(
            driver=driver,
            runtime=runtime,
            Device=self._device,
            Stream=lambda **_: types.SimpleNamespace(ptr=3),
            Event=lambda **_: event,
            MemoryPool=lambda: pointers,
            PinnedMemoryPool=lambda: pointers,
        )
        return made

    def _device(self, number: int) -> Any:
        cuda_itself = self

        class Device:
            def __enter__(self) -> None:
                self.before, cuda_itself.context = cuda_itself.context, 10 + number

            def __exit__(self, *_: object) -> None:
                cuda_itself.context = self.before

        return Device()

    def _allocated(self, nbytes: int) -> Any:
        memory = (ctypes.c_ubyte * nbytes)()
        memory.ptr = ctypes.addressof(memory)
        return memory

    def _launch(self, function: int, *rest: int) -> None:
        (blocks, _, _), (threads, _, _) = rest[:3], rest[3:6]
        addresses = (ctypes.c_void_p * 3).from_address(rest[8])
        values = [ctypes.c_longlong.from_address(one).value for one in addresses if one]
        self.launches.append((function, blocks, threads, self.context, values))


def _function(name: str) -> Any:
    return types.SimpleNamespace(kernel=types.SimpleNamespace(ptr=name))


def _imported_with(cupy: Any) -> Any:
    """Import the module under another name: elsewhere it stays what it is."""
    spec = util.spec_from_file_location("gpu", f"{cuda.__path__[0]}/gpu.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    installed = sys.modules.get("cupy")
    sys.modules["cupy"] = cupy
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["cupy"]
        if installed is not None:
            sys.modules["cupy"] = installed
    return module


class GpuStreamTestCase(unittest.TestCase):
    def setUp(self) -> None:
        self.cuda = FakeCuda()
        self.gpu = _imported_with(self.cuda.module())
        self.stream = self.open_stream(0)

    def open_stream(self, device: int) -> Any:
        settings = CudaSettings(np.dtype(np.float64), 0.01, None)
        return self.gpu.GpuStream(device, settings)


class LaunchTest(GpuStreamTestCase):
    def test_passes_arguments_by_their_addresses(self) -> None:
        self.stream.launch("update", 7, 128, 2**47, -3, 5)
        self.stream.launch("combine", 1, 32, 6, 8, 9)
        self.assertEqual(
            self.cuda.launches,
            [
                ("update", 7, 128, 10, [2**47, -3, 5]),
                ("combine", 1, 32, 10, [6, 8, 9]),
            ],
        )

    def test_of_no_blocks_is_none(self) -> None:
        self.stream.launch("update", 0, 128, 1, 2, 3)
        self.assertEqual(self.cuda.launches, [])

    def test_is_on_the_gpu_of_the_stream(self) -> None:
        other = self.open_stream(1)
        other.launch("update", 1, 128, 1, 2, 3)
        self.stream.launch("update", 1, 128, 1, 2, 3)
        self.assertEqual([one[3] for one in self.cuda.launches], [11, 10])
        self.assertEqual(self.cuda.context, 10)


class TransferTest(GpuStreamTestCase):
    def test_sends_and_fetches_the_bytes_that_were_staged(self) -> None:
        there = np.zeros(16, dtype=np.uint8)
        address = there.ctypes.data
        parts = [self.stream.staging(8) for _ in range(2)]
        for i, part in enumerate(parts):
            part[:] = np.arange(8) + 10 * i
        for i, part in enumerate(parts):
            self.stream.send(address + 8 * i, part)
        fetched = self.stream.fetch(address, 16)
        self.stream.wait()
        np.testing.assert_array_equal(fetched, [*range(8), *range(10, 18)])
        self.assertEqual(self.stream.moved.to_device, 16)
        self.assertEqual(self.stream.moved.from_device, 16)


class WaitTest(GpuStreamTestCase):
    def launch(self, *kernels: str) -> None:
        for kernel in kernels:
            self.stream.launch(kernel, 1, 32, 1, 2, 3)

    def test_names_all_launches_since_the_last_if_they_do_not_end(self) -> None:
        self.launch("divide")
        self.stream.wait()
        self.launch("update", "combine", "update")
        self.cuda.status = NOT_READY
        with self.assertRaisesRegex(
            DeviceHangs,
            "GPU 0: one of the launches of 'update', 'combine' or a transfer for lm_0 "
            "has not ended after .* MONTY_CUDA_TIME_LIMIT",
        ):
            self.stream.wait(lambda: "lm_0")

    def test_names_all_launches_since_the_last_if_one_has_failed(self) -> None:
        self.launch("update")
        self.cuda.status = ILLEGAL_ADDRESS
        with self.assertRaisesRegex(
            DeviceFault, "GPU 0: error 700, in a launch of 'update' or a transfer"
        ):
            self.stream.wait()

    def test_names_a_transfer_if_nothing_was_launched(self) -> None:
        self.cuda.status = NOT_READY
        with self.assertRaisesRegex(DeviceHangs, "GPU 0: a transfer has not ended"):
            self.stream.wait()

    def test_keeps_what_is_sent_until_then(self) -> None:
        self.stream.send(self.stream.staging(8).ctypes.data, self.stream.staging(8))
        self.assertEqual(len(self.stream._in_flight), 2)
        self.stream.wait()
        self.assertEqual(len(self.stream._in_flight), 0)


if __name__ == "__main__":
    unittest.main()
