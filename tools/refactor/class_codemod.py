# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the codemods of the series share: they change one class or function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Sequence

import libcst as cst

from .codemod import Codemod, Read
from .failures import MissingAnchor
from .imports import NeededImport, with_import, without_import
from .nodes import EMPTY_LINE, Statement, statements_of, with_statements

__all__ = [
    "MODULE",
    "ClassCodemod",
    "MethodCodemod",
    "find_method",
    "has_method",
    "insert_methods",
    "methods_of",
    "replace_method",
    "with_statement",
]

MODULE = ""
"""Given as a class's name: the method is a function of the module itself."""


@dataclass(frozen=True, kw_only=True)
class ClassCodemod(Codemod):
    """Changes one top-level class and adds the imports the change needs.

    A class of the same name inside another class or a function is left alone.

    Attributes:
        class_name: The class.
        imports: What the change needs.
        unused: Names whose import is removed if nothing else in the module uses them.
    """

    class_name: str
    imports: Sequence[NeededImport] = ()
    unused: Sequence[str] = ()

    @property
    def target(self) -> str:
        return self.class_name

    def already_done(self, definition: cst.ClassDef) -> bool:
        """Return whether the class is as this codemod leaves it."""
        raise NotImplementedError

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        """Return the changed class.

        Raises:
            MissingAnchor: If the class does not have what is to be changed.
        """
        raise NotImplementedError

    def transform_module(self, tree: cst.Module, read: Read) -> cst.Module:  # noqa: ARG002
        classes = [one for one in tree.body if isinstance(one, cst.ClassDef)]
        found = [one for one in classes if one.name.value == self.class_name]
        if len(found) != 1:
            raise MissingAnchor("the class itself, once", class_name=self.class_name)
        definition = found[0]
        if self.already_done(definition):
            return tree
        return self._with_changed(tree, definition, self.transform_class(definition))

    def _with_changed(
        self, tree: cst.Module, definition: Statement, changed: Statement
    ) -> cst.Module:
        """Return the module with a changed definition and what it imports."""
        tree = tree.with_changes(
            body=[changed if one is definition else one for one in tree.body]
        )
        for needed in self.imports:
            tree = with_import(tree, needed)
        for name in self.unused:
            tree = without_import(tree, name)
        return tree


@dataclass(frozen=True, kw_only=True)
class MethodCodemod(ClassCodemod):
    """Changes one method of the class, which may become several.

    If the class's name is `MODULE`, it changes a function of the module instead, which
    stays one function.
    """

    method: str

    @property
    def target(self) -> str:
        return f"{self.class_name}.{self.method}".lstrip(".")

    def already_done(self, definition: cst.ClassDef) -> bool:
        return self.is_done(find_method(definition, self.method)[1])

    def transform_module(self, tree: cst.Module, read: Read) -> cst.Module:
        if self.class_name != MODULE:
            return super().transform_module(tree, read)
        functions = [one for one in tree.body if isinstance(one, cst.FunctionDef)]
        found = [one for one in functions if one.name.value == self.method]
        if len(found) != 1:
            raise self.missing("the function itself, once")
        if self.is_done(found[0]):
            return tree
        [changed] = self.transform_method(found[0])
        return self._with_changed(tree, found[0], changed)

    def is_done(self, method: cst.FunctionDef) -> bool:
        """Return whether the method is as this codemod leaves it."""
        raise NotImplementedError

    def missing(self, looked_for: str) -> MissingAnchor:
        """Return the exception that says what the method lacks."""
        return MissingAnchor(looked_for, self.class_name, self.method)

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, self.method)
        return replace_method(definition, at, self.transform_method(method))

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        """Return what takes the place of the method.

        Raises:
            MissingAnchor: If the method does not have what is to be changed.
        """
        raise NotImplementedError


def methods_of(definition: cst.ClassDef) -> Iterator[tuple[int, cst.FunctionDef]]:
    """Yield the methods of a class, with their positions in its body."""
    for at, statement in enumerate(statements_of(definition.body)):
        if isinstance(statement, cst.FunctionDef):
            yield at, statement


def has_method(definition: cst.ClassDef, name: str) -> bool:
    return any(one.name.value == name for _, one in methods_of(definition))


def find_method(definition: cst.ClassDef, name: str) -> tuple[int, cst.FunctionDef]:
    """Find a method of a class.

    Returns:
        Its position in the body, and the method.

    Raises:
        MissingAnchor: If the class does not define it.
    """
    for at, method in methods_of(definition):
        if method.name.value == name:
            return at, method
    raise MissingAnchor(
        f"the definition of {name}", class_name=definition.name.value, method=name
    )


def insert_methods(
    definition: cst.ClassDef, at: int, methods: Sequence[cst.FunctionDef]
) -> cst.ClassDef:
    """Insert methods into a class, each after an empty line.

    Raises:
        MissingAnchor: If the class has a method of that name.
    """
    for method in methods:
        name = method.name.value
        if has_method(definition, name):
            reason = f"no method {name}, but there is one, with other code than ours"
            raise MissingAnchor(reason, definition.name.value, name)
    body = statements_of(definition.body)
    spaced = [method.with_changes(leading_lines=[EMPTY_LINE]) for method in methods]
    return with_statements(definition, [*body[:at], *spaced, *body[at:]])


def replace_method(
    definition: cst.ClassDef, at: int, methods: Sequence[cst.FunctionDef]
) -> cst.ClassDef:
    """Replace a method by others; lines above it, such as a heading, stay."""
    first, *others = methods
    lines = statements_of(definition.body)[at].leading_lines
    definition = with_statement(definition, at, first.with_changes(leading_lines=lines))
    return insert_methods(definition, at + 1, others)


def with_statement(
    definition: cst.ClassDef, at: int, statement: Statement
) -> cst.ClassDef:
    """Replace a statement by another one."""
    body = statements_of(definition.body)
    body[at] = statement
    return with_statements(definition, body)
