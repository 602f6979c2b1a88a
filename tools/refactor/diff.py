# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows a plan as a unified diff."""

from __future__ import annotations

import difflib
from typing import Iterator

from .plan import Plan

__all__ = ["colored", "unified_diff"]

_COLORS = {"---": "1", "+++": "1", "@@": "36", "+": "32", "-": "31"}


def unified_diff(plan: Plan) -> Iterator[str]:
    """Yield the lines of a diff that `git apply` and `patch -p1` accept."""
    for file, text in sorted(plan.changes.items()):
        before = plan.original[file]
        yield from difflib.unified_diff(
            (before or "").splitlines(keepends=True),
            text.splitlines(keepends=True),
            "/dev/null" if before is None else f"a/{file}",
            f"b/{file}",
        )


def colored(line: str) -> str:
    """Color a line of a diff for a terminal."""
    for prefix, color in _COLORS.items():
        if line.startswith(prefix):
            return f"\x1b[{color}m{line.rstrip()}\x1b[0m\n"
    return line
