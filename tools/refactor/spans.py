# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a rewrite takes away from a module: the spans it removes, replaces or moves."""

from __future__ import annotations

import ast
import difflib
import textwrap
from dataclasses import dataclass
from typing import Sequence

import libcst as cst

from .nodes import statements_of, with_statements
from .normal import normal, statements_in

__all__ = ["Span", "spans_between"]

_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_IMPORT = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Span:
    """Consecutive statements, or the head of one that has a block.

    Attributes:
        place: The class, method or function that they are in, `MontyBase._vote`.
        text: Their text, with comments.
        forms: The normal form of each.
    """

    place: str
    text: str
    forms: tuple[str, ...]


def spans_between(before: cst.Module, after: cst.Module) -> list[Span]:
    """Return what is in a module and no longer at its place in the rewritten one.

    A definition is at its place under its name, wherever that is in the block. Imports
    at the top of a module do not count: what is imported is seen where it is used.

    Args:
        before: The module.
        after: The rewritten one. What a codemod does not touch is the same object.
    """
    code_of = before.code_for_node
    former, new = (
        "".join(map(code_of, statements))
        for statements in _different(before.body, after.body)
    )
    comparison = _Comparison(former.splitlines())
    before_tree, after_tree = (
        [one for one in statements_in(text) if not isinstance(one, _IMPORT)]
        for text in (former, new)
    )
    comparison.compare(before_tree, after_tree, "")
    return comparison.spans


def _different(
    before: Sequence[cst.BaseStatement], after: Sequence[cst.BaseStatement]
) -> tuple[list[cst.BaseStatement], list[cst.BaseStatement]]:
    """Return the statements that only one of two blocks has, classes without others."""
    same = {id(one) for one in before} & {id(one) for one in after}
    former = [one for one in before if id(one) not in same]
    new = [one for one in after if id(one) not in same]
    for at, one in enumerate(former):
        for its, other in enumerate(new):
            if _is_same_class(one, other):
                both = (cst.ensure_type(each, cst.ClassDef) for each in (one, other))
                former[at], new[its] = _different_members(*both)
    return former, new


def _is_same_class(one: cst.BaseStatement, other: cst.BaseStatement) -> bool:
    return (
        isinstance(one, cst.ClassDef)
        and isinstance(other, cst.ClassDef)
        and one.name.value == other.name.value
    )


def _different_members(
    one: cst.ClassDef, other: cst.ClassDef
) -> tuple[cst.ClassDef, cst.ClassDef]:
    members = _different(statements_of(one.body), statements_of(other.body))
    # A class is not empty.
    nothing = cst.SimpleStatementLine([cst.Pass()])
    return (
        with_statements(one, [nothing, *members[0]]),
        with_statements(other, [nothing, *members[1]]),
    )


class _Comparison:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self.spans: list[Span] = []

    def compare(
        self, before: Sequence[ast.stmt], after: Sequence[ast.stmt], place: str
    ) -> None:
        """Compare two blocks."""
        new = {one.name: one for one in after if isinstance(one, _DEFINITION)}
        for one in before:
            if isinstance(one, _DEFINITION):
                inside = f"{place}.{one.name}".lstrip(".")
                other = new.get(one.name)
                if other is None:
                    self._add([one], inside)
                elif normal(one) != normal(other):
                    self._pair(one, other, inside)
        plain_before, plain_after = (
            [one for one in block if not isinstance(one, _DEFINITION)]
            for block in (before, after)
        )
        self._sequence(plain_before, plain_after, place)

    def _sequence(
        self, before: Sequence[ast.stmt], after: Sequence[ast.stmt], place: str
    ) -> None:
        matcher = difflib.SequenceMatcher(
            a=list(map(normal, before)), b=list(map(normal, after)), autojunk=False
        )
        for kind, start, end, new_start, new_end in matcher.get_opcodes():
            former, new = before[start:end], after[new_start:new_end]
            if kind == "equal":
                continue
            if len(former) != len(new):
                pairs = []
            else:
                pairs = [(one, other) for one, other in zip(former, new, strict=True)]
            alike = [pair for pair in pairs if _alike(*pair)]
            for one, other in alike:
                self._pair(one, other, place)
            if any(_may_return(one) for one in new if one not in dict(alike).values()):
                # What comes after it may no longer be reached.
                self._add(before[start:], place)
                return
            self._add([one for one in former if one not in dict(alike)], place)

    def _pair(self, one: ast.AST, other: ast.AST, place: str) -> None:
        """Compare two statements with blocks, of the same kind."""
        if isinstance(one, ast.Expr):
            return
        if not _keeps_head(one, other):
            first = min(block[0].lineno for block in _blocks_of(one) if block)
            start = _first_line(one)
            self._append(start, max(first - 1, start), place, (normal(_head(one)),))
        for former, new in zip(_blocks_of(one), _blocks_of(other), strict=True):
            if all(isinstance(each, ast.stmt) for each in former + new):
                self.compare(former, new, place)
            elif len(former) == len(new):
                for each, its in zip(former, new, strict=True):
                    self._pair(each, its, place)
            else:
                self._add(former, place)

    def _add(self, nodes: Sequence[ast.AST], place: str) -> None:
        if nodes:
            forms = tuple(map(normal, nodes))
            last: int = getattr(nodes[-1], "end_lineno", 0)
            self._append(_first_line(nodes[0]), last, place, forms)

    def _append(self, start: int, end: int, place: str, forms: tuple[str, ...]) -> None:
        text = textwrap.dedent("\n".join(self._lines[start - 1 : end]))
        self.spans.append(Span(place, text, forms))


def _alike(one: ast.AST, other: ast.AST) -> bool:
    """Return whether two statements are to be compared part by part."""
    match one, other:
        case ast.Expr(ast.Constant(str(text))), ast.Expr(ast.Constant(str(longer))):
            return _is_within(text.split(), longer.split())
    return type(one) is type(other) and bool(_blocks_of(one))


def _may_return(statement: ast.stmt) -> bool:
    is_last = isinstance(statement, ast.Return)
    inside = (isinstance(one, ast.Return) for one in ast.walk(statement))
    return not is_last and any(inside)


def _blocks_of(node: ast.AST) -> list[list]:
    return [getattr(node, name) for name in _BLOCKS if hasattr(node, name)]


def _head(node: ast.AST) -> ast.AST:
    fields = ast.iter_fields(node)
    return type(node)(**{name: one for name, one in fields if name not in _BLOCKS})


def _keeps_head(one: ast.AST, other: ast.AST) -> bool:
    """Return whether the head of a statement has all that it had; it may have more."""
    if isinstance(one, _DEFINITION) and isinstance(other, _DEFINITION):
        return all(
            _is_within(list(map(normal, former)), list(map(normal, new)))
            for former, new in zip(_parts(one), _parts(other), strict=True)
        )
    return normal(_head(one)) == normal(_head(other))


def _parts(definition: _Definition) -> list[list]:
    """Return what the head of a definition lists."""
    if isinstance(definition, ast.ClassDef):
        return [definition.decorator_list, definition.bases, definition.keywords]
    named = definition.args
    positional = [*named.posonlyargs, *named.args]
    required = len(positional) - len(named.defaults)
    defaults = [*[None] * required, *named.defaults]
    return [
        definition.decorator_list,
        [definition.returns],
        [[*pair] for pair in zip(positional, defaults, strict=True)],
        [[*pair] for pair in zip(named.kwonlyargs, named.kw_defaults, strict=True)],
        [named.vararg, named.kwarg],
    ]


def _is_within(few: Sequence[str], many: Sequence[str]) -> bool:
    left = iter(many)
    return all(one in left for one in few)


def _first_line(node: ast.AST) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(getattr(one, "lineno", 1) for one in (node, *decorators))
