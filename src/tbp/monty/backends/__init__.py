# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What runs the learning modules' work."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass

__all__ = ["BACKENDS", "Backend", "UnknownBackend", "choose_backend"]


@dataclass(frozen=True)
class Backend:
    """A way to run the learning modules' work."""

    name: str
    where: str
    summary: str


BACKENDS = {
    backend.name: backend
    for backend in (Backend("reference", "CPU", "upstream's own code; the default"),)
}


class UnknownBackend(ValueError):
    """There is no backend of that name."""


def choose_backend(name: str | None = None) -> str:
    """Return the backend to use.

    Args:
        name: What was asked for. Defaults to the environment variable
            `MONTY_BACKEND`, and without it to `reference`.

    Returns:
        The name of a known backend.

    Raises:
        UnknownBackend: If there is none of that name.
    """
    name = name or os.environ.get("MONTY_BACKEND") or "reference"
    if name not in BACKENDS:
        nearest = difflib.get_close_matches(name, BACKENDS, n=1)
        hint = f"; did you mean {nearest[0]}?" if nearest else ""
        raise UnknownBackend(
            f"unknown backend {name!r}: known are {', '.join(BACKENDS)}{hint}"
        )
    return name
