# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.add_init_parameter import AddInitParameter
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(
    class_name="Bird",
    parameter="nest: Nest | None = None",
    documentation="where it lives; a\nnew one if `None`.",
    statement="self.nest = make_nest(nest)",
    imports=(NeededImport("zoo.nests", "make_nest"),),
)

BEFORE = '''
    import os

    from zoo.eggs import Egg
    from zoo.trees import Tree

    class Bird:
        def __init__(
            self,
            egg: Egg,  # it came first
            tree=None,  # or none
        ) -> None:
            """Hatch.

            Args:
                egg: From what.
                tree: Where; this
                    entry has two lines.

            Raises:
                Cold: If nobody sits on it.
            """
            self.egg = egg  # kept

        def fly(self): ...
'''

AFTER = '''
    import os

    from zoo.eggs import Egg
    from zoo.nests import make_nest
    from zoo.trees import Tree

    class Bird:
        def __init__(
            self,
            egg: Egg,  # it came first
            tree=None,  # or none
            nest: Nest | None = None,
        ) -> None:
            """Hatch.

            Args:
                egg: From what.
                tree: Where; this
                    entry has two lines.
                nest: where it lives; a
                    new one if `None`.

            Raises:
                Cold: If nobody sits on it.
            """
            self.egg = egg  # kept
            self.nest = make_nest(nest)

        def fly(self): ...
'''


SHORT_BEFORE = '''
    from zoo.trees import Tree

    class Bird:
        def __init__(self, egg):
            """Hatch.

            Args:
                egg: From what.
            """
'''

SHORT_AFTER = '''
    from zoo.nests import make_nest
    from zoo.trees import Tree

    class Bird:
        def __init__(self, egg, nest: Nest | None = None):
            """Hatch.

            Args:
                egg: From what.
                nest: where it lives; a
                    new one if `None`.
            """
            self.nest = make_nest(nest)
'''


class AddInitParameterTest(CodemodTestCase):
    TRANSFORM = AddInitParameter

    def test_adds_parameter_documentation_statement_and_import(self) -> None:
        self.assertCodemod(BEFORE, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_args_may_be_the_last_section_and_parameters_on_one_line(self) -> None:
        self.assertCodemod(SHORT_BEFORE, SHORT_AFTER, **ARGUMENTS)

    def test_without_a_statement_another_codemod_has_to_use_the_parameter(self) -> None:
        after = AFTER.replace("            self.nest = make_nest(nest)\n", "")
        after = after.replace("    from zoo.nests import make_nest\n", "")
        arguments = {**ARGUMENTS, "statement": None, "imports": ()}
        self.assertCodemod(BEFORE, after, **arguments)

    def test_an_import_under_an_alias_is_left_and_the_name_added(self) -> None:
        alias = "from zoo.nests import make_nest as build"
        both = "from zoo.nests import make_nest, make_nest as build"
        after = SHORT_AFTER.replace("    from zoo.nests import make_nest\n", "")
        self.assertCodemod(
            SHORT_BEFORE.replace("from zoo.trees import Tree", alias),
            after.replace("from zoo.trees import Tree", both),
            **ARGUMENTS,
        )

    def test_a_nested_class_of_that_name_is_ignored(self) -> None:
        before = """
            class Zoo:
                class Bird:
                    def __init__(self): ...
        """
        with self.assertRaises(MissingAnchor):
            self.assertCodemod(before, before, **ARGUMENTS)

    def test_without_an_args_section_the_anchor_is_missing(self) -> None:
        before = '''
            class Bird:
                def __init__(self, egg):
                    """Hatch."""
        '''
        with self.assertRaises(MissingAnchor) as raised:
            self.assertCodemod(before, before, **ARGUMENTS)
        self.assertEqual(raised.exception.method, "__init__")
        self.assertIn("Args", raised.exception.looked_for)
