# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from libcst.codemod import CodemodTest

from monty_tools.refactor.codemods.add_base import AddBase
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport

ARGUMENTS = dict(
    class_name="Bird", base="Flies", imports=(NeededImport("air", "Flies"),)
)


class AddBaseTest(CodemodTest):
    TRANSFORM = AddBase

    def test_puts_the_base_before_the_others(self) -> None:
        before = """
            from life import Animal

            class Bird(Animal, metaclass=Meta):  # sings
                pass
        """
        after = """
            from life import Animal

            from air import Flies

            class Bird(Flies, Animal, metaclass=Meta):  # sings
                pass
        """
        self.assertCodemod(before, after, **ARGUMENTS)

    def test_gives_a_class_without_bases_one(self) -> None:
        before = """
            import feathers

            class Bird:
                pass
        """
        after = """
            import feathers

            from air import Flies

            class Bird(Flies):
                pass
        """
        self.assertCodemod(before, after, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        done = """
            class Bird(Flies, Animal):
                pass
        """
        self.assertCodemod(done, done, **ARGUMENTS)

    def test_a_nested_class_is_not_meant(self) -> None:
        nested = """
            class Cage:
                class Bird:
                    pass
        """
        with self.assertRaises(MissingAnchor):
            self.assertCodemod(nested, nested, **ARGUMENTS)
