# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from monty_tools.refactor import upstream
from monty_tools.refactor.failures import UpstreamUnavailable
from monty_tools.refactor.layout import build_folder
from monty_tools.refactor.pin import KNOWN_RELEASES, PINNED, Release
from tests.tools.refactor.upstream_copy import contents


class ObtainTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name)

    def place_wheel(self) -> Path:
        upstream.obtain()
        wheel = build_folder() / "upstream" / PINNED.wheel_name
        return Path(shutil.copy(wheel, self.cache))

    def test_every_known_release_can_be_obtained_and_says_its_version(self) -> None:
        for release in KNOWN_RELEASES.values():
            self.assertEqual(upstream.obtain(release).version, release.version)
            sdist = upstream.obtain_sdist(release)
            self.assertEqual(sdist.version, release.version)
            self.assertTrue((sdist.folder / "pyproject.toml").is_file())

    def test_a_wheel_in_the_cache_is_not_downloaded_again(self) -> None:
        self.place_wheel()
        with patch.object(subprocess, "run", side_effect=AssertionError):
            tree = upstream.obtain(cache=self.cache)
        self.assertEqual(tree.version, PINNED.version)

    def test_a_wheel_that_is_not_the_pinned_one_is_refused(self) -> None:
        wheel = self.place_wheel()
        with wheel.open("ab") as file:
            file.write(b"tampered")
        with self.assertRaisesRegex(UpstreamUnavailable, PINNED.sha256):
            upstream.obtain(cache=self.cache)
        self.assertFalse((self.cache / PINNED.version).exists())

    def test_a_release_that_does_not_exist_says_what_to_do(self) -> None:
        release = Release("0.0.0", "0", "0")
        with self.assertRaises(UpstreamUnavailable) as raised:
            upstream.obtain(release, cache=self.cache)
        message = str(raised.exception)
        self.assertIn(f"put {release.wheel_name} into {self.cache}", message)
        self.assertNotIn("--upstream", message)  # not all commands have it
        self.assertEqual([path.name for path in self.cache.iterdir()], [".lock"])

    def test_unpacked_files_that_are_not_as_in_the_archive_are_remade(self) -> None:
        self.place_wheel()
        tree = upstream.obtain(cache=self.cache)
        before = contents(tree.folder)
        package = tree.import_root / "tbp/monty"
        for change in (
            lambda: (package / "__init__.py").write_text("# mine"),
            (package / "mine.py").touch,
            (package / "path.py").unlink,
        ):
            change()
            with contextlib.redirect_stderr(io.StringIO()) as said:
                upstream.obtain(cache=self.cache)
            self.assertEqual(contents(tree.folder), before)
            self.assertIn("are not as in it", said.getvalue())

    def test_unpacked_files_of_an_sdist_are_checked_too(self) -> None:
        upstream.obtain_sdist()
        shutil.copy(build_folder() / "upstream" / PINNED.sdist_name, self.cache)
        tree = upstream.obtain_sdist(cache=self.cache)
        with (tree.folder / "pyproject.toml").open("a") as file:
            file.write("# mine")
        with contextlib.redirect_stderr(io.StringIO()):
            upstream.obtain_sdist(cache=self.cache)
        self.assertNotIn("# mine", (tree.folder / "pyproject.toml").read_text())

    def test_bytecode_is_no_change(self) -> None:
        self.place_wheel()
        tree = upstream.obtain(cache=self.cache)
        bytecode = tree.import_root / "tbp/monty/__pycache__/path.pyc"
        bytecode.parent.mkdir()
        bytecode.touch()
        upstream.obtain(cache=self.cache)
        self.assertTrue(bytecode.exists())
