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

from .migration import Finding, Migration

__all__ = ["as_json", "as_text"]

_COLUMNS = 88


def as_text(migration: Migration) -> str:
    """Return the report for people, when the migration has been written."""
    lines = [f"{one.place}: {one.rule}: {one.what}" for one in migration.changes]
    for title, findings in (
        ("works as it is:", migration.works),
        ("left to do by hand:", migration.by_hand),
    ):
        if findings:
            lines += ["", title] if lines else [title]
            lines += [line for one in findings for line in _left(one)]
    lines += [""] if lines else []
    lines.append(
        f"{migration.files} files looked at, {len(migration.changed)} changed, "
        f"{len(migration.by_hand)} places left to do by hand, "
        f"{len(migration.works)} that work as they are"
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
            {k: v for k, v in asdict(one).items() if k != "advice"}
            for one in migration.changes
        ],
        "by_hand": [asdict(one) for one in migration.by_hand],
        "works": [asdict(one) for one in migration.works],
        **({} if diff is None else {"diff": "".join(diff)}),
    }
    return json.dumps(report, indent=2)


def _left(one: Finding) -> list[str]:
    lines = [f"{one.place}: {one.rule}: {one.what}"]
    # Code stays as it is: only the lines before it are prose.
    prose, blank, code = one.advice.partition("\n\n")
    if "\n" in prose and not prose.endswith(":"):
        prose, blank, code = "", "", one.advice
    lines.append(textwrap.indent(textwrap.fill(prose, _COLUMNS - 4), "    "))
    if code:
        lines.append(textwrap.indent(code.rstrip(), "    " * (1 + bool(blank))))
    return [line for line in lines if line]
