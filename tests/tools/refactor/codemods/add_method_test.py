# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.add_method import AddMethod
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

METHOD = '''\
def land(self, where: Sequence[int]) -> None:
    """Land.

    Args:
        where: Where.
    """
    ...
'''

ARGUMENTS = dict(
    class_name="Bird",
    place_after="fly",
    method=METHOD,
    imports=(NeededImport("typing", "Sequence"),),
)

AFTER = '''
    from __future__ import annotations

    from typing import Protocol, Sequence

    class Bird(Protocol):
        def fly(self):
            ...  # up

        def land(self, where: Sequence[int]) -> None:
            """Land.

            Args:
                where: Where.
            """
            ...

        def sing(self): ...
'''


class AddMethodTest(CodemodTestCase):
    TRANSFORM = AddMethod

    def test_adds_the_method_after_the_named_one_and_its_imports(self) -> None:
        before = """
            from __future__ import annotations

            from typing import Protocol

            class Bird(Protocol):
                def fly(self):
                    ...  # up

                def sing(self): ...
        """
        self.assertCodemod(before, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_an_aliased_import_does_not_stand_for_the_name(self) -> None:
        before = """
            from typing import Sequence as Seq

            class Bird:
                def fly(self): ...
        """
        after = '''
            from typing import Sequence, Sequence as Seq

            class Bird:
                def fly(self): ...

                def land(self, where: Sequence[int]) -> None:
                    """Land.

                    Args:
                        where: Where.
                    """
                    ...
        '''
        self.assertCodemod(before, after, **ARGUMENTS)

    def test_a_nested_class_of_that_name_is_ignored(self) -> None:
        before = """
            class Zoo:
                class Bird:
                    def fly(self): ...
        """
        with self.assertRaises(MissingAnchor) as raised:
            self.assertCodemod(before, before, **ARGUMENTS)
        self.assertEqual(raised.exception.class_name, "Bird")

    def test_without_the_method_before_it_the_anchor_is_missing(self) -> None:
        before = """
            class Bird:
                def walk(self): ...
        """
        with self.assertRaises(MissingAnchor) as raised:
            self.assertCodemod(before, before, **ARGUMENTS)
        self.assertEqual(raised.exception.method, "fly")
