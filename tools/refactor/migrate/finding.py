# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a migration finds in a file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Finding"]


@dataclass(frozen=True, order=True)
class Finding:
    """A place that was changed, or that is left to do by hand.

    Attributes:
        file: The file.
        line: The line: of a change, in the original text; of what is left to do, in
            the new text. In a notebook, the line within the cell.
        rule: The id of the rule.
        what: What was changed, or what prevents a change.
        by_hand: What to do by hand; empty if it was changed.
        cell: The number of a notebook's cell, the first being 1.
    """

    file: str
    line: int
    rule: str
    what: str
    by_hand: str = ""
    cell: int | None = None

    @property
    def place(self) -> str:
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{self.file}:{cell}{self.line}"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
