# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Copies of upstream for tests that change them, and what the series makes of it."""

from __future__ import annotations

import functools
import shutil
import tempfile
import unittest
from pathlib import Path

from monty_tools.refactor.plan import Plan, make_plan
from monty_tools.refactor.series import steps_through
from monty_tools.refactor.upstream import obtain


@functools.cache
def planned(part: str) -> Plan:
    """Return what the series up to a part does to the pinned release."""
    return make_plan(obtain(), steps_through(part))


class UpstreamCopyTestCase(unittest.TestCase):
    """Gives each test a folder of its own with a copy of the pinned release."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.tree = self.copy("tree")

    def copy(self, name: str) -> Path:
        target = self.folder / name
        source = obtain().import_root / "tbp"
        # Only Python files: the configs are many and not needed.
        ignore = shutil.ignore_patterns("conf", "__pycache__")
        shutil.copytree(source, target / "tbp", ignore=ignore)
        return target

    def file(self, path: str) -> Path:
        return self.tree / "tbp" / "monty" / path

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.file(path)
        text = file.read_text("utf-8")
        assert old in text, f"{old!r} is not in {path}"
        file.write_text(text.replace(old, new), "utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, except git's own, with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }
