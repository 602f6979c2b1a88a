# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.add_decorator import AddDecorator
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(
    class_name="Bird",
    method="sing",
    decorator="aloud",
    imports=(NeededImport("air", "aloud"),),
)

AFTER = """
    import feathers

    from air import aloud

    class Bird:
        # In the morning.
        @aloud
        @twice
        def sing(self): ...

        def fly(self): ...
"""


class AddDecoratorTest(CodemodTestCase):
    TRANSFORM = AddDecorator

    def test_decorates_around_the_others_and_below_comments(self) -> None:
        before = """
            import feathers

            class Bird:
                # In the morning.
                @twice
                def sing(self): ...

                def fly(self): ...
        """
        self.assertCodemod(before, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_a_missing_method_is_named(self) -> None:
        silent = """
            class Bird:
                def fly(self): ...
        """
        with self.assertRaises(MissingAnchor) as caught:
            self.assertCodemod(silent, silent, **ARGUMENTS)
        self.assertEqual(caught.exception.method, "sing")
