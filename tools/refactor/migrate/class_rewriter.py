# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Walks through the classes of a module, with what a rule needs to know about them."""

# ruff: noqa: N802, ARG002 LibCST calls visitors by the names of nodes

from __future__ import annotations

from functools import cached_property
from typing import Callable, Collection, Mapping, cast

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from ..class_codemod import find_method, methods_of, with_statement
from ..failures import CannotDivide, MissingAnchor
from ..imports import NeededImport, with_import
from ..nodes import Node, Statement
from ..phases.blocks import EMPTY_LINE
from ..phases.refusal import Refused
from .class_index import ProjectClass
from .kinds import Kind
from .marks import (
    Marked,
    marked,
    marking_rules,
    unmarked,
    with_marks_of_first_statement,
)
from .rule import Change, PythonFile
from .step_signatures import ARGUMENTS, can_be_called

__all__ = ["ClassRewriter", "own_methods"]


class ClassRewriter(cst.CSTTransformer):
    """Rewrites the classes of a module, inner ones first.

    A rule implements `rewrite_class`. New classes, in `records`, go to the top level of
    the module, above the statement that needs them.
    """

    def __init__(self, rule: str, file: PythonFile) -> None:
        super().__init__()
        self.rule = rule
        self.file = file
        self.module = cst.Module([])
        self.imports: list[NeededImport] = []
        self.records: list[cst.ClassDef] = []
        self.scope: list[str] = []
        self._functions: list[cst.FunctionDef] = []

    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        """Return the rewritten class; by default it stays unchanged.

        Args:
            original: The class as it stands in the file, for its lines.
            updated: The class, with the classes in it rewritten.
            kind: What it is.
        """
        return updated

    def run(self, module: cst.Module) -> cst.Module:
        self.module = with_marks_of_first_statement(module)
        result = self.module.visit(self)
        for needed in self.imports:
            result = with_import(result, needed)
        return result

    @cached_property
    def _ranges(self) -> Mapping[cst.CSTNode, CodeRange]:
        wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        return wrapper.resolve(PositionProvider)

    def column(self, node: cst.CSTNode) -> int:
        return self._ranges[node].start.column

    def changed(self, node: cst.CSTNode, what: str) -> None:
        if isinstance(node, cst.FunctionDef):
            node = node.name  # decorators are above it
        self.file.changes.append(Change(self._ranges[node].start.line, what))

    def mark(self, original: cst.CSTNode, updated: Marked, what: str) -> Marked:
        return marked(updated, self.rule, what, self.column(original))

    def unmark(self, updated: Marked) -> Marked:
        return unmarked(updated, self.rule)

    def rewritten_or_marked(
        self,
        original: cst.FunctionDef,
        updated: cst.ClassDef,
        participle: str,
        rewrite: Callable[[cst.FunctionDef, cst.ClassDef], cst.ClassDef | None],
    ) -> cst.ClassDef:
        """Rewrite a method of a class, or mark it with the reason why not.

        Args:
            original: The method as it stands in the file, for its lines.
            updated: The class.
            participle: What `rewrite` does.
            rewrite: Returns the class with the method rewritten, None if it stays. It
                is given the original, and the class with the method unmarked.
        """
        name = original.name.value
        at, method = find_method(updated, name)
        if name in ARGUMENTS and not can_be_called(original):
            return updated  # the rule for signatures marks it
        try:
            bare = with_statement(updated, at, self.unmark(method))
            return rewrite(original, bare) or updated
        except MissingAnchor as missing:
            reason = f"expected {missing.looked_for}"
        except (Refused, CannotDivide) as refused:
            reason = str(refused)
        marked = self.mark(original, method, f"not {participle}: {reason}")
        return with_statement(updated, at, marked)

    def check_may_have_halves(self, method: str) -> None:
        """Refuse to split a method of the class if a whole override prevents it."""
        in_the_way = self.file.in_the_way
        reason = in_the_way and in_the_way(self.project_class, method)
        if reason is not None:
            raise Refused(reason)

    @property
    def qualified_name(self) -> str:
        return ".".join(self.scope)

    @property
    def project_class(self) -> ProjectClass:
        return ProjectClass(self.file.path, self.qualified_name)

    def annotations_are_evaluated(self) -> bool:
        """Return whether annotations must not use names before they are defined."""
        names = self.file.index.names(self.file.path)
        return names.imports.get("annotations") != "__future__.annotations"

    def imports_monty(self) -> bool:
        """Return whether the file imports anything of tbp.monty."""
        names = self.file.index.names(self.file.path)
        imported = [*names.imports.values(), *names.stars]
        # `import tbp.monty.x` binds the name tbp.
        return any(
            one == "tbp" or f"{one}.".startswith("tbp.monty.") for one in imported
        )

    def is_in_marked_function(self, *rules: str) -> bool:
        """Return whether a function around the present statement is marked."""
        return any(marking_rules(one) & {*rules} for one in self._functions)

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.ClassDef, cst.FunctionDef)):
            self.scope.append(node.name.value)
        if isinstance(node, cst.FunctionDef):
            self._functions.append(node)
        return super().on_visit(node)

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        kind = self.file.index.kind(self.file.path, self.qualified_name)
        updated = self.rewrite_class(original_node, updated_node, kind)
        self.scope.pop()
        return updated

    def on_leave(
        self, original_node: Node, updated_node: Node
    ) -> Node | cst.RemovalSentinel | cst.FlattenSentinel[Node]:
        if isinstance(original_node, cst.FunctionDef):
            self.scope.pop()
            self._functions.pop()
        result = super().on_leave(original_node, updated_node)
        if self.scope or not self.records or original_node not in self.module.body:
            return result
        statement: cst.CSTNode = cst.ensure_type(result, type(updated_node))
        records, self.records = self.records, []
        if isinstance(statement, Statement) and not statement.leading_lines:
            statement = statement.with_changes(leading_lines=[EMPTY_LINE] * 2)
        # In a module, any statement may replace any other.
        return cast(
            "cst.FlattenSentinel[Node]", cst.FlattenSentinel([*records, statement])
        )


def own_methods(
    definition: cst.ClassDef, names: Collection[str]
) -> list[cst.FunctionDef]:
    """Return the methods of a class that have one of the names."""
    return [one for _, one in methods_of(definition) if one.name.value in names]
