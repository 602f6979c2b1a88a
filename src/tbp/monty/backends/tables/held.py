# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Describes the memory that backends hold, for profiles."""

from __future__ import annotations

from typing import Callable, NamedTuple

__all__ = ["HOST", "Held", "name_of"]

HOST = "host"


class Held(NamedTuple):
    """A piece of memory that a backend holds.

    Attributes:
        where: `host`, or `device` and its number.
        kind: `model`, `table`, `window`, `graphs` or `pool`.
        nbytes: How much.
        made_by: The function that allocates it, see `name_of`.
        reason: Why it is there.
        learning_module: Whose it is; None if several share it.
        graph: The object it is about; None if it is about several.
    """

    where: str
    kind: str
    nbytes: int
    made_by: str
    reason: str
    learning_module: str | None = None
    graph: str | None = None


def name_of(function: Callable) -> str:
    """Return the file of a function below `tbp/monty`, and its name."""
    module = function.__module__.partition("tbp.monty.")[2] or function.__module__
    return f"{module.replace('.', '/')}.py:{function.__qualname__}"
