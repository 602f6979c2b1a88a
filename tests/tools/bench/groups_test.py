# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest

from monty_tools.bench.groups import InvalidGroups, read_groups, show_groups
from monty_tools.bench.settings import Settings


class ReadGroupsTest(unittest.TestCase):
    def test_all_in_one_group(self) -> None:
        self.assertEqual(read_groups("one", 3), ((0, 1, 2),))

    def test_each_on_its_own(self) -> None:
        self.assertEqual(read_groups("each", 3), ((0,), (1,), (2,)))

    def test_ranges(self) -> None:
        self.assertEqual(read_groups("0-1,2-4", 5), ((0, 1), (2, 3, 4)))
        self.assertEqual(read_groups("2,0-1", 3), ((2,), (0, 1)))

    def test_each_learning_module_must_be_named_once(self) -> None:
        for text in ("0-1,3", "0-2,2-3", "0-5", "1-2"):
            with (
                self.subTest(text),
                self.assertRaisesRegex(InvalidGroups, "0 to 3 .* exactly once"),
            ):
                read_groups(text, 4)

    def test_invalid_text_is_refused_with_the_expected_form(self) -> None:
        for text in ("all", "", "0-", "1-0", "0;1", "-1"):
            with (
                self.subTest(text),
                self.assertRaisesRegex(InvalidGroups, "expected 'one', 'each'"),
            ):
                read_groups(text, 2)

    def test_shown_groups_can_be_read_again(self) -> None:
        for text in ("0-1,2-4", "0,1,2,3,4", "0-4"):
            self.assertEqual(show_groups(read_groups(text, 5)), text)


class SettingsTest(unittest.TestCase):
    def test_groups_reach_another_process(self) -> None:
        for groups in (None, ((0, 1), (2,))):
            settings = Settings(lms=3, groups=groups)
            self.assertEqual(Settings.from_dict(settings.as_dict()), settings)
