# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.set_version import SetVersion
from monty_tools.refactor.failures import MissingAnchor
from tests.tools.refactor.codemod_case import CodemodTestCase


class SetVersionTest(CodemodTestCase):
    TRANSFORM = SetVersion

    def test_sets_the_version_and_keeps_the_rest(self) -> None:
        before = """
            # A notice.

            __version__ = '1.2.3'  # of the package
            other = '1.2.3'
        """
        after = """
            # A notice.

            __version__ = "4"  # of the package
            other = '1.2.3'
        """
        self.assertCodemod(before, after, version="4")

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod('__version__ = "4"', '__version__ = "4"', version="4")

    def test_a_version_inside_a_class_is_ignored(self) -> None:
        before = """
            class Package:
                __version__ = "1"
        """
        with self.assertRaises(MissingAnchor):
            self.assertCodemod(before, before, version="4")
