# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses of a group, updated in torch on the CPU."""

from __future__ import annotations

import functools
import importlib.util
from typing import ClassVar

from tbp.monty.backends.stacked.backend import StackedBackend
from tbp.monty.backends.tables.host_engine import HostEngine

__all__ = ["TorchBackend"]


class TorchBackend(StackedBackend):
    """Runs the work of a group when it is launched. `auto` never chooses it."""

    name: ClassVar[str] = "torch"
    where: ClassVar[str] = "CPU"
    summary: ClassVar[str] = "experimental: the update in torch, graph by graph"

    def __init__(self) -> None:
        # Imported here: torch need not be installed.
        from tbp.monty.backends import torch as torch_kernels  # noqa: PLC0415

        super().__init__(functools.partial(HostEngine, torch_kernels))

    @staticmethod
    def unavailable() -> str | None:
        if importlib.util.find_spec("torch") is None:
            return "torch is not installed; pip install torch"
        return None
