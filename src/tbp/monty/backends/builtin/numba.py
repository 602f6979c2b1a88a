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

import functools
import importlib.metadata
import importlib.util
from typing import ClassVar

from tbp.monty.backends.stacked.backend import StackedBackend
from tbp.monty.backends.tables.host_engine import HostEngine

__all__ = ["NumbaBackend"]

SERIES = "0.68"
"""How numba compiles is changed for the kernels, by names that are not public."""

_INSTALL = "pip install 'tbp.monty[cpu]'"


class NumbaBackend(StackedBackend):
    """Runs the work of a group when it is launched."""

    name: ClassVar[str] = "numba"
    where: ClassVar[str] = "CPU"
    summary: ClassVar[str] = "one compiled kernel for all hypotheses, multi-threaded"
    priority: ClassVar[int] = 100

    def __init__(self) -> None:
        # Imported here: numba need not be installed.
        from tbp.monty.backends import numba as numba_kernels  # noqa: PLC0415

        super().__init__(functools.partial(HostEngine, numba_kernels))

    @staticmethod
    def unavailable() -> str | None:
        if importlib.util.find_spec("numba") is None:
            return f"numba is not installed; {_INSTALL}"
        version = importlib.metadata.version("numba")
        if not version.startswith(f"{SERIES}."):
            return f"numba {version} is installed, not {SERIES}; {_INSTALL}"
        return None
