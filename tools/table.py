# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Tables in plain text."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["aligned", "table"]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table in plain text; the first and the last column are words."""
    first, *others = aligned([header, *rows])
    rule = ["-" * len(cell) for cell in first]
    return "\n".join("  ".join(row).rstrip() for row in (first, rule, *others))


def aligned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Returns rows with cells of equal width; the first and last column are words."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    return [
        [
            cell.ljust(width) if i in (0, last) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in rows
    ]
