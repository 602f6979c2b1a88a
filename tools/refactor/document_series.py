# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Writes the steps and their sizes into the pages that list them.

python -m tools.refactor.document_series
"""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterable, Iterator, Sequence

from ..guard import guarded
from .branch import Commit, make_branch
from .failures import NotMonty
from .layout import checkout
from .series import PARTS, steps_through
from .upstream import obtain

__all__ = ["PROPOSED", "lines_of_series", "with_sizes", "with_steps"]

PROPOSED = "core"
"""The last part that is proposed to upstream."""

_LIST = re.compile(r"(?<=```text\ncore\n).*?(?=```\n)", re.DOTALL)
_SIZES = re.compile(r"(?<=\| --- \| --- \| --- \|\n)(\|.*\n)*?\| \*\*core.*\n")


def lines_of_series() -> Iterator[str]:
    """Yield the parts and the titles of their steps, with numbers."""
    numbers = itertools.count(1)
    for part, steps in PARTS.items():
        yield part
        yield from (f"{next(numbers):2}  {step.title}" for step in steps)


def with_steps(page: str) -> str:
    """Return the page for reviewers with the list of steps."""
    listed = "".join(f"{line}\n" for line in list(lines_of_series())[1:])
    return _LIST.sub(lambda _: listed, page, count=1)


def with_sizes(page: str, commits: Iterable[Commit]) -> str:
    """Return the RFC with the table of what each commit changes and adds."""
    by_title = {commit.title: commit for commit in commits}
    rows = []
    for part, steps in PARTS.items():
        own = [by_title[step.title] for step in steps if step.title in by_title]
        for one in own:
            title = one.title.partition(": ")[2]
            rows.append(f"| {title} | {one.changed} | {one.added} |\n")
        if own:
            changed, added = sum(c.changed for c in own), sum(c.added for c in own)
            rows.append(f"| **{part}** | **{changed}** | **{added}** |\n")
    return _SIZES.sub(lambda _: "".join(rows), page, count=1)


def _main() -> int:
    root = checkout()
    if root is None:
        raise NotMonty("the pages are written in a checkout of the project")
    reviewing = root / "docs" / "reviewing.md"
    reviewing.write_text(with_steps(reviewing.read_text("utf-8")), "utf-8")
    [rfc] = (root / "rfcs").glob("0000_*.md")
    rfc.write_text(with_sizes(rfc.read_text("utf-8"), _commits()), "utf-8")
    return 0


def _commits() -> Sequence[Commit]:
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "upstream"
        ignore = shutil.ignore_patterns("conf", "__pycache__")
        source = obtain().import_root / "tbp"
        shutil.copytree(source, repository / "tbp", ignore=ignore)
        name = ["-c", "user.name=series", "-c", "user.email=series@example.org"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "upstream"]):
            subprocess.run(["git", "-C", repository, *name, *command], check=True)
        return make_branch(repository, "series", series=steps_through(PROPOSED))


if __name__ == "__main__":
    sys.exit(guarded("document-series", _main))
