# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty-refactor migrate`: moves callers to Monty as it is after the series."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path
from typing import Any, Iterable

from ..failures import UncommittedChanges
from ..git import uncommitted
from ..transaction import write_all
from .migration import Migration, migrate
from .report import as_json, as_text
from .rules_in_order import RULES

__all__ = ["add_migrate_command"]

LEFT_BY_HAND = 3


def add_migrate_command(commands: Any) -> None:
    """Add the command to those of the parser."""
    rules = "\n".join(f"  {rule.id:<22} {rule.summary}" for rule in RULES)
    parser = commands.add_parser(
        "migrate",
        help="move code that builds on Monty",
        description="Renames what has another name now, and gives overrides halves "
        "where a reader sees that it is safe: in Python files, notebooks and YAML "
        "configs. Everything else stays as it is, and is listed. Name all of a project "
        "at once: classes are followed through its files.",
        epilog=f"rules:\n{rules}\n\nexit status: 0 done, or nothing to do; 2 failed, "
        f"nothing was written;\n{LEFT_BY_HAND} done, and something is left to do by "
        "hand",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", type=Path, nargs="+", metavar="PATH")
    parser.add_argument(
        "--disable",
        action="append",
        default=[],
        metavar="RULE",
        choices=[rule.id for rule in RULES],
        help="leave a rule out; may be given several times",
    )
    parser.add_argument(
        "--diff", action="store_true", help="print what would change, write nothing"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the report as JSON; with --diff, the diff is part of it",
    )
    parser.add_argument(
        "--force", action="store_true", help="rewrite files with uncommitted changes"
    )
    parser.set_defaults(run=_migrate)


def _migrate(options: argparse.Namespace) -> int:
    migration = migrate(options.paths, options.disable)
    for monty in sorted(migration.monty):
        print(
            f"monty-refactor: {monty} is Monty itself, and is not migrated: use apply "
            "or series",
            file=sys.stderr,
        )
    diff = _diff(migration) if options.diff else None
    if diff is None:
        _write(migration, options.force)
    if options.json:
        print(as_json(migration, diff))
    elif diff is None:
        print(as_text(migration))
    else:
        sys.stdout.writelines(diff)
    return LEFT_BY_HAND if migration.by_hand else 0


def _write(migration: Migration, force: bool) -> None:
    texts = {path.resolve(): data for path, data in migration.changed.items()}
    dirty = [] if force else _uncommitted(texts)
    if dirty:
        names = "\n  ".join(map(str, dirty))
        raise UncommittedChanges(
            "uncommitted changes in files that would be rewritten, nothing was "
            f"written:\n  {names}\nCommit them, or use --force."
        )
    write_all(Path.cwd(), {str(path): data for path, data in texts.items()})


def _uncommitted(paths: Iterable[Path]) -> list[Path]:
    names: dict[Path, list[str]] = {}
    for path in paths:
        names.setdefault(path.parent, []).append(path.name)
    return [
        folder / Path(row).name
        for folder, files in names.items()
        for row in uncommitted(folder, files)
    ]


def _diff(migration: Migration) -> list[str]:
    lines: list[str] = []
    for path, data in sorted(migration.changed.items()):
        before, after = (
            one.decode("utf-8", "replace").splitlines(keepends=True)
            for one in (migration.original[path], data)
        )
        lines += difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
    return lines
