# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The names of the methods and classes that a split makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Collection

__all__ = ["Halves", "fresh_name", "halves_of", "pending_type_name"]


@dataclass(frozen=True)
class Halves:
    """The names of the two halves of a method."""

    dispatch: str
    process: str


def halves_of(method: str) -> Halves:
    """Name the halves of a method; those of a private one are private."""
    prefix = "_" if method.startswith("_") else ""
    bare = method.strip("_")
    return Halves(f"{prefix}dispatch_{bare}", f"{prefix}process_{bare}")


def pending_type_name(method: str, class_name: str, taken: Collection[str]) -> str:
    """Name the class of the pending object, with the method's class if necessary."""
    words = "".join(word[:1].upper() + word[1:] for word in method.split("_"))
    short = f"_Pending{words}"
    return short if short not in taken else f"_Pending{class_name}{words}"


def fresh_name(wanted: str, taken: Collection[str]) -> str:
    """Return a name that is not taken, if possible the wanted one."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name
