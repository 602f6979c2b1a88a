# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Codemods of methods change functions of a module, too."""

from __future__ import annotations

from monty_tools.refactor.class_codemod import MODULE
from monty_tools.refactor.codemods.add_decorator import AddDecorator
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(
    class_name=MODULE,
    method="sing",
    decorator="aloud",
    imports=(NeededImport("air", "aloud"),),
)

BEFORE = """
    import feathers


    class Bird:
        def sing(self): ...


    # In the morning.
    def sing(): ...


    def nest():
        def sing(): ...
"""

AFTER = """
    import feathers

    from air import aloud


    class Bird:
        def sing(self): ...


    # In the morning.
    @aloud
    def sing(): ...


    def nest():
        def sing(): ...
"""


class FunctionOfAModuleTest(CodemodTestCase):
    TRANSFORM = AddDecorator

    def test_neither_methods_nor_inner_functions_of_the_name_change(self) -> None:
        self.assertCodemod(BEFORE, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_a_missing_function_is_named(self) -> None:
        for name in ("Bird", "fly"):
            with self.subTest(name), self.assertRaises(MissingAnchor) as caught:
                self.assertCodemod(BEFORE, BEFORE, **{**ARGUMENTS, "method": name})
            self.assertEqual(caught.exception.method, name)
