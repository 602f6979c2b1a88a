# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses of a group in one compiled kernel."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from typing import ClassVar

from tbp.monty.backends.stacked.backend import StackedBackend
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.host_engine import HostEngine

__all__ = ["NumbaBackend"]

OLDEST = (0, 60)

_INSTALL = "pip install 'tbp.monty[cpu]'"


class NumbaBackend(StackedBackend):
    """Runs the work of a group when it is launched."""

    name: ClassVar[str] = "numba"
    where: ClassVar[str] = "CPU"
    summary: ClassVar[str] = "one compiled kernel for all hypotheses, multi-threaded"
    priority: ClassVar[int] = 100

    def __init__(self) -> None:
        # Imported here: numba need not be installed.
        from tbp.monty.backends import numba as kernels  # noqa: PLC0415

        def open_engine() -> Engine:
            # Not before: it starts threads, and a process with threads cannot be
            # forked safely.
            kernels.compile_all()
            return HostEngine(kernels)

        super().__init__(open_engine)

    @staticmethod
    def compile() -> None:
        """Compile all kernels, unless that was done before on this machine."""
        from tbp.monty.backends import numba as kernels  # noqa: PLC0415

        kernels.compile_all()

    @staticmethod
    def unavailable() -> str | None:
        if importlib.util.find_spec("numba") is None:
            return f"numba is not installed; {_INSTALL}"
        version = importlib.metadata.version("numba")
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            return f"numba {version} is installed, not {oldest} or newer; {_INSTALL}"
        # Raises an error if numpy is newer than this numba knows.
        importlib.import_module("numba")
        return None
