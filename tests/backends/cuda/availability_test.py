# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import os
import types
import unittest
from unittest import mock

from tbp.monty.backends.cuda import availability
from tbp.monty.backends.cuda.settings import CudaSettings, InvalidSetting


class CudaError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"cudaError {status}")
        self.status = status


def cupy_that(count=1, free=2**34, error: int | None = None) -> types.ModuleType:
    """Return a stand-in for the module `cupy`."""

    def get_device_count() -> int:
        if error is not None:
            raise CudaError(error)
        return count

    module = types.ModuleType("cupy")
    module.__spec__ = mock.Mock()
    runtime = types.SimpleNamespace(
        getDeviceCount=get_device_count,
        memGetInfo=lambda: (free, 2**35),
        CUDARuntimeError=CudaError,
    )
    device = mock.MagicMock()
    module.cuda = types.SimpleNamespace(runtime=runtime, Device=device)
    return module


class ReasonAgainstTest(unittest.TestCase):
    def reason(self, cupy, **environment: str) -> str | None:
        with (
            mock.patch.dict("sys.modules", {"cupy": cupy}),
            mock.patch.dict(os.environ, environment),
        ):
            return availability.reason_against()

    def test_is_none_with_a_gpu(self) -> None:
        self.assertIsNone(self.reason(cupy_that()))

    def test_names_the_fault_and_the_remedy(self) -> None:
        for error, expected in (
            (35, "driver is too old.*update the driver"),
            (46, "busy.*MONTY_CUDA_DEVICES"),
            (100, "no NVIDIA GPU"),
            (2, "no memory left"),
            (999, "cudaError 999; nvidia-smi"),
        ):
            with self.subTest(error):
                self.assertRegex(self.reason(cupy_that(error=error)), expected)

    def test_names_a_gpu_with_too_little_memory(self) -> None:
        reason = self.reason(cupy_that(free=2**28))
        self.assertRegex(reason, "256 MiB free of 32768, and at least 512")

    def test_names_a_missing_gpu(self) -> None:
        reason = self.reason(cupy_that(), MONTY_CUDA_DEVICES="0,3")
        self.assertRegex(reason, "names GPU 3, and there are 1")

    def test_names_invalid_settings(self) -> None:
        for name, value in (
            ("MONTY_CUDA_PRECISION", "float16"),
            ("MONTY_CUDA_TIME_LIMIT", "soon"),
            ("MONTY_CUDA_DEVICES", "first"),
        ):
            with self.subTest(name):
                self.assertRegex(self.reason(cupy_that(), **{name: value}), name)
                with mock.patch.dict(os.environ, {name: value}):
                    self.assertRaises(InvalidSetting, CudaSettings.from_environment)


if __name__ == "__main__":
    unittest.main()
