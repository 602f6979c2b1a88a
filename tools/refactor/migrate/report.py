# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reports a migration, for people and for programs."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from typing import Sequence

from ..phases.columns import MAX_COLUMNS
from .migration import Migration

__all__ = ["as_json", "as_text"]


def as_text(migration: Migration) -> str:
    """Return the report for people, when the migration has been written."""
    lines = [f"{one.place}: {one.rule}: {one.what}" for one in migration.changes]
    if migration.by_hand:
        lines += ["", "left to do by hand:"] if lines else ["left to do by hand:"]
        for one in migration.by_hand:
            lines.append(f"{one.place}: {one.rule}: {one.what}")
            lines.append(_indented(one.by_hand))
    lines += [""] if lines else []
    lines.append(
        f"{migration.files} files looked at, {len(migration.changed)} changed, "
        f"{len(migration.by_hand)} places left to do by hand"
    )
    return "\n".join(lines)


def as_json(migration: Migration, diff: Sequence[str] | None) -> str:
    """Return the report for programs.

    Args:
        migration: The migration.
        diff: The lines of its diff, if they are asked for.
    """
    report = {
        "files": migration.files,
        "monty": sorted(map(str, migration.monty)),
        "changed_files": sorted(map(str, migration.changed)),
        "changes": [
            {k: v for k, v in asdict(one).items() if k != "by_hand"}
            for one in migration.changes
        ],
        "by_hand": [asdict(one) for one in migration.by_hand],
        **({} if diff is None else {"diff": "".join(diff)}),
    }
    return json.dumps(report, indent=2)


def _indented(text: str) -> str:
    return textwrap.fill(
        text, MAX_COLUMNS, initial_indent="    ", subsequent_indent="    "
    )
