# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Checks which tbp.monty a worker has imported."""

from __future__ import annotations

import importlib
from pathlib import Path

__all__ = ["WrongMonty", "imported_monty"]


class WrongMonty(Exception):
    """The imported tbp.monty is not the expected one."""


def imported_monty(expected: Path) -> str:
    """Imports tbp.monty.

    Args:
        expected: The folder that must hold its ``tbp/monty``.

    Returns:
        Its version.

    Raises:
        WrongMonty: If it comes from another folder.
    """
    monty = importlib.import_module("tbp.monty")
    found = Path(monty.__path__[0]).resolve().parents[1]
    if found != expected.resolve():
        raise WrongMonty(
            f"expected tbp.monty from {expected.resolve()}, but it is imported from "
            f"{found}: check PYTHONPATH and what is installed"
        )
    return getattr(monty, "__version__", "unknown")
