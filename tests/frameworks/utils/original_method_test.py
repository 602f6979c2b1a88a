# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import functools
import unittest
from typing import Any
from unittest.mock import Mock

from tbp.monty.frameworks.utils.original_method import are_original, is_original


class Bird:
    def sing(self) -> str:
        return "tweet"


class Robin(Bird):
    pass


class Crow(Bird):
    def sing(self) -> str:
        return "caw"


class Recorded(Bird):
    @functools.wraps(Bird.sing)
    def sing(self) -> str:
        return super().sing()


class OriginalMethodTest(unittest.TestCase):
    def assert_original(self, method: Any, expected: bool) -> None:
        self.assertEqual(is_original(method, __name__, "Bird.sing"), expected)

    def test_inherited_methods_are_original(self) -> None:
        for method in (Bird().sing, Robin().sing, Robin.sing):
            self.assert_original(method, True)

    def test_overrides_are_not(self) -> None:
        self.assert_original(Crow().sing, False)
        self.assert_original(Recorded().sing, False)

    def test_what_is_put_into_one_object_is_not(self) -> None:
        for replacement in (Mock(), len, lambda: "", Crow().sing):
            bird = Bird()
            bird.sing = replacement  # type: ignore[method-assign]
            self.assert_original(bird.sing, False)

    def test_methods_of_other_modules_are_not(self) -> None:
        self.assertFalse(is_original(Bird().sing, "other", "Bird.sing"))

    def test_methods_of_an_object_are_asked_for_by_name(self) -> None:
        def are(bird: Bird, *methods: str) -> bool:
            return are_original(bird, __name__, "Bird", methods)

        self.assertTrue(are(Robin(), "sing"))
        self.assertFalse(are(Crow(), "sing"))
        self.assertFalse(are(Robin(), "sing", "fly"))
        bird = Bird()
        bird.sing = Bird().sing  # type: ignore[method-assign]
        self.assertFalse(are(bird, "sing"))
