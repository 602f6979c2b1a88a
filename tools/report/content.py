# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a page is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .charts import Spec

__all__ = ["Cell", "Chart", "Facts", "Section", "Table", "Timeline", "known"]

Cell = str | float | None


@dataclass(frozen=True)
class Table:
    """A table that the reader can sort.

    Attributes:
        caption: What it shows.
        columns: The titles, with units.
        rows: The cells. Numbers are aligned to the right.
        note: What was left out, if anything.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    kind: str = "table"


@dataclass(frozen=True)
class Chart:
    """A chart.

    Attributes:
        title: What it shows.
        spec: The chart.
        text: How to read it.
        subtitle: Of what exactly.
    """

    title: str
    spec: Spec
    text: str = ""
    subtitle: str = ""
    kind: str = "chart"


@dataclass(frozen=True)
class Timeline:
    """A timeline that the reader can zoom into.

    Attributes:
        data: What `timeline.data_of` returns.
        note: What was left out, if anything.
    """

    data: dict[str, Any]
    note: str = ""
    kind: str = "timeline"


@dataclass(frozen=True)
class Facts:
    """Single values with their names."""

    pairs: Sequence[tuple[str, Cell]]
    kind: str = "facts"


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading.

    Attributes:
        title: The heading.
        source: The file or folder it is about.
        parts: What it shows.
        choices: What the reader chooses for the charts of this section: names of
            signals, with their values.
    """

    title: str
    source: str
    parts: Sequence[Table | Chart | Timeline | Facts]
    choices: Mapping[str, Sequence[str | int]] = field(default_factory=dict)


def known(*pairs: tuple[str, Cell]) -> Facts:
    """Return those facts that are known."""
    return Facts([(name, value) for name, value in pairs if value not in (None, "")])
