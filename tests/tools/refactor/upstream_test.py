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
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from monty_tools.refactor import upstream
from monty_tools.refactor.failures import UpstreamUnavailable
from monty_tools.refactor.layout import build_folder
from monty_tools.refactor.pin import KNOWN_RELEASES, PINNED, Release


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
        with self.assertRaisesRegex(UpstreamUnavailable, "--upstream PATH"):
            upstream.obtain(Release("0.0.0", "0", "0"), cache=self.cache)
        self.assertEqual([path.name for path in self.cache.iterdir()], [".lock"])
