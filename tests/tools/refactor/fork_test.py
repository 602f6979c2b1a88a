# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import shutil
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from monty_tools.refactor import fork
from monty_tools.refactor.failures import OverlayConflict
from monty_tools.refactor.layout import checkout
from monty_tools.refactor.pin import PINNED
from monty_tools.refactor.series import PARTS
from monty_tools.refactor.upstream import obtain


class MakeForkTest(unittest.TestCase):
    """Works on a copy of the project, so that its own fork stays as it is."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("src", "tools"):
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(checkout() / name, self.root / name, ignore=ignore)
        # Few steps: how the fork is made does not depend on how many there are.
        for name, value in (("checkout", lambda: self.root), ("SERIES", PARTS["core"])):
            patched = patch.object(fork, name, value)
            patched.start()
            self.addCleanup(patched.stop)
        self.target = self.root / "build" / "fork"
        self.said: list[str] = []

    def make(self) -> str:
        self.said.clear()
        fork.make_fork(obtain(), self.target, say=self.said.append)
        return self.said[-1]

    def test_is_made_once_and_again_only_after_a_change_of_the_codemods(self) -> None:
        self.assertIn("making", self.make())
        self.assertIn("up to date", self.make())

        overlay = self.root / "src/tbp/monty/frameworks/models/lm_groups.py"
        overlay.write_text(overlay.read_text() + "\nEDITED = True\n")
        made = self.target / "tbp/monty/frameworks/models/lm_groups.py"
        self.assertIn("EDITED", made.read_text())
        self.assertIn("up to date", self.make())

        codemod = self.root / "tools/refactor/codemods/set_version.py"
        codemod.write_text(codemod.read_text() + "\n")
        self.assertIn("making", self.make())
        self.assertIn("up to date", self.make())

    def test_a_new_overlay_file_is_seen(self) -> None:
        self.make()
        (self.root / "src/tbp/monty/frameworks/models/new.py").write_text("")
        self.assertIn("making", self.make())
        self.assertTrue((self.target / "tbp/monty/frameworks/models/new.py").exists())

    def test_an_overlay_file_may_not_replace_upstreams(self) -> None:
        (self.root / "src/tbp/monty/cmp.py").write_text("")
        with self.assertRaisesRegex(OverlayConflict, "cmp.py"):
            self.make()
        self.assertFalse(self.target.exists())

    def test_a_failure_leaves_the_fork_as_it_was(self) -> None:
        self.make()
        (self.root / "src/tbp/monty/cmp.py").write_text("")
        with self.assertRaises(OverlayConflict):
            self.make()
        self.assertTrue((self.target / "tbp/monty/cmp.py").read_text())
        self.assertEqual(
            sorted(path.name for path in self.target.parent.iterdir()),
            [".fork.lock", "fork"],
        )

    def test_has_the_configs_the_plugin_and_a_version_of_its_own(self) -> None:
        self.make()
        upstream = obtain().import_root
        for pattern in ("tbp/monty/conf/**/*.yaml", "hydra_plugins/**/*.py"):
            expected = {p.relative_to(upstream) for p in upstream.glob(pattern)}
            found = {p.relative_to(self.target) for p in self.target.glob(pattern)}
            self.assertEqual(found, expected)
            self.assertTrue(found)
        self.assertIn(
            f'__version__ = "{PINNED.version}+backends.{fork.FORK_REVISION}"',
            (self.target / "tbp/monty/__init__.py").read_text(),
        )

    def test_a_step_can_be_left_out_and_is_then_missing(self) -> None:
        self.make()
        step = PARTS["core"][-1]
        changed = self.target / "tbp/monty" / step.rewrites[0].file
        with_it = changed.read_text()
        fork.make_fork(obtain(), self.target, say=self.said.append, without=step)
        self.assertIn("making", self.said[-1])
        self.assertNotEqual(changed.read_text(), with_it)
        self.assertIn("making", self.make())
        self.assertEqual(changed.read_text(), with_it)
