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
import unittest
from unittest.mock import Mock, patch

from monty_tools import chromium


class MainTest(unittest.TestCase):
    def main(self, *found: str | None, can_install: bool = True) -> tuple[Mock, str]:
        """Run it where a browser is found or not, before and after an installation.

        Returns:
            The function that installs, and what was printed.
        """
        install, said = Mock(), io.StringIO()
        with (
            patch.object(chromium, "find_chromium", Mock(side_effect=found)),
            patch.object(chromium, "can_install", lambda: can_install),
            patch.object(chromium, "install", install),
            contextlib.redirect_stderr(said),
        ):
            self.assertEqual(chromium.main(), 0)
        return install, said.getvalue()

    def test_installs_nothing_if_there_is_one(self) -> None:
        install, said = self.main("/usr/bin/chromium", "/usr/bin/chromium")
        install.assert_not_called()
        self.assertIn("/usr/bin/chromium", said)

    def test_installs_it_if_it_may(self) -> None:
        install, said = self.main(None, "/usr/bin/chromium")
        install.assert_called_once_with("chromium")
        self.assertIn("/usr/bin/chromium", said)

    def test_says_what_to_install_if_it_may_not(self) -> None:
        install, said = self.main(None, None, can_install=False)
        install.assert_not_called()
        self.assertIn("sudo apt-get install chromium", said)


class FindTest(unittest.TestCase):
    def test_any_of_its_names_will_do(self) -> None:
        known = {"google-chrome": "/opt/chrome"}
        with patch.object(chromium.shutil, "which", known.get):
            self.assertEqual(chromium.find_chromium(), "/opt/chrome")
        with patch.object(chromium.shutil, "which", lambda _: None):
            self.assertIsNone(chromium.find_chromium())
