# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Lets ruff lay out what codemods wrote, and nothing else."""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator

from .failures import RuffUnavailable
from .tree import Tree

__all__ = ["Ruff"]

_COLUMNS = 88
_DECLARED = re.compile(r"^line-length\s*=\s*(\d+)", re.MULTILINE)
_UPSTREAMS = [
    "--isolated",
    "--target-version=py38",
    "--no-cache",
    "--quiet",
]
"""What upstream's configuration says, as far as it matters here."""
_SORTED = [
    "--select=I001",
    "--fix-only",
    "--config=lint.isort.known-first-party=['tbp']",
]


class Ruff:
    """The ruff that is installed, with the line length of a tree."""

    def __init__(self, tree: Tree | None = None) -> None:
        """Find it.

        Raises:
            RuffUnavailable: If it is not installed.
        """
        path = f"{Path(sys.executable).parent}"
        found = shutil.which("ruff", path=path) or shutil.which("ruff")
        if found is None:
            raise RuffUnavailable(
                "ruff is not installed: pip install 'tbp.monty[refactor]'"
            )
        self._ruff = found
        self._options = [
            *_UPSTREAMS,
            f"--config=line-length={_columns(tree)}",
        ]

    def laid_out(self, before: str, after: str) -> str:
        """Return a file with the lines that differ from its former text laid out.

        Imports are sorted if they were.

        Args:
            before: The former text.
            after: The text.
        """
        if _imports(before) != _imports(after) and self._sorted(before) == before:
            after = self._sorted(after)
        # From the end, so that lines before a range keep their numbers.
        for lines in reversed(list(_changed(before, after))):
            after = self._run("format", f"--range={lines}", text=after)
        return after

    def _sorted(self, text: str) -> str:
        return self._run("check", *_SORTED, text=text)

    def _run(self, command: str, *options: str, text: str) -> str:
        done = subprocess.run(
            [self._ruff, command, *self._options, *options, "-"],
            # As bytes, so that line ends stay as they are.
            input=text.encode(),
            capture_output=True,
        )
        if done.returncode:
            said = done.stderr.decode().strip()
            raise RuffUnavailable(f"ruff {command} failed: {said}")
        return done.stdout.decode()


def _columns(tree: Tree | None) -> int:
    file = tree and tree.folder / "pyproject.toml"
    if not file or not file.is_file():
        return _COLUMNS
    declared = _DECLARED.search(file.read_text("utf-8"))
    return int(declared[1]) if declared else _COLUMNS


def _imports(text: str) -> list[str]:
    starts = ("import ", "from ")
    return [line for line in text.splitlines() if line.startswith(starts)]


def _changed(before: str, after: str) -> Iterator[str]:
    """Yield which lines of the second text differ, as ruff takes them."""
    lines = after.split("\n")
    matcher = difflib.SequenceMatcher(a=before.split("\n"), b=lines, autojunk=False)
    for kind, _, _, start, end in matcher.get_opcodes():
        if kind != "equal" and start < end:
            yield f"{start + 1}:1-{end}:{len(lines[end - 1]) + 1}"
