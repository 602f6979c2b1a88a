# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A stand-in for a CUDA device: the source of the kernels, compiled for the CPU."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
import unittest
from functools import lru_cache
from pathlib import Path

import numpy as np

from tbp.monty.backends.cuda.source import kernels_source

__all__ = ["HostStream", "host_kernels"]

FIBRES = Path(__file__).with_name("fibres.h")
# The compiler may fuse or reorder only what is fused or reordered on a GPU.
FLAGS = ("-O2", "-std=c++17", "-ffp-contract=off", "-w", "-shared", "-fPIC")


@lru_cache(maxsize=2)
def host_kernels(real: np.dtype) -> ctypes.CDLL:
    """Compile the kernels.

    Args:
        real: The floating-point type.

    Raises:
        unittest.SkipTest: If there is no compiler.
    """
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        raise unittest.SkipTest("no C++ compiler to try the CUDA kernels with")
    text = f'#include "{FIBRES}"\n{kernels_source(real)}'
    made_from = hashlib.sha256(FIBRES.read_bytes() + text.encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"monty_host_kernels_{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    library = folder / f"kernels_{made_from}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            source, made = Path(scratch) / "kernels.cpp", Path(scratch) / "kernels.so"
            source.write_text(text)
            subprocess.run([compiler, *FLAGS, "-o", made, source], check=True)
            made.replace(library)
    return ctypes.CDLL(str(library))


class HostMemory:
    def __init__(self, nbytes: int) -> None:
        # Not zero, so that a test notices reads of unwritten memory.
        self.array = np.full(nbytes, 0xA5, dtype=np.uint8)
        self.address = self.array.ctypes.data
        self.nbytes = nbytes


class HostStream:
    """Runs everything synchronously."""

    def __init__(self, real: type = np.float64) -> None:
        self.where = "device 0"
        self.real = np.dtype(real)
        self.launched: list[str] = []
        self._kernels = host_kernels(self.real)
        self._is_done = self._is_closed = False
        self._fetched: list[np.ndarray] = []

    def allocate(self, nbytes: int, what: str) -> HostMemory:  # noqa: ARG002
        return HostMemory(nbytes)

    def pooled(self) -> int:
        return 0

    def send(self, address: int, data: bytes) -> None:
        assert type(address) is int, "CuPy takes no integers of numpy's"
        self._spoil()
        ctypes.memmove(address, data, len(data))

    def fetch(self, address: int, nbytes: int) -> np.ndarray:
        assert type(address) is int, "CuPy takes no integers of numpy's"
        self._spoil()
        fetched = np.empty(nbytes, dtype=np.uint8)
        ctypes.memmove(fetched.ctypes.data, address, nbytes)
        self._fetched.append(fetched)
        return fetched

    def _spoil(self) -> None:
        """Overwrite what was fetched, so that a test notices who reads it too late."""
        assert not self._is_closed, "used after it was closed"
        if self._is_done:
            for fetched in self._fetched:
                fetched[:] = 0xA5
            self._fetched.clear()
            self._is_done = False

    def launch(self, kernel: str, blocks: int, threads: int, *arguments: int) -> None:
        self.launched.append(kernel)
        values = (ctypes.c_longlong * 10)(*arguments)
        function = ctypes.cast(getattr(self._kernels, kernel), ctypes.c_void_p)
        self._kernels.run_kernel(
            function, ctypes.c_longlong(blocks), ctypes.c_longlong(threads), values
        )

    def wait(self, about=None) -> None:  # noqa: ARG002
        self._is_done = True

    def close(self) -> None:
        self._is_closed = True
