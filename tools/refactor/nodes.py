# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""LibCST's functions with the return types that their callers expect."""

from __future__ import annotations

import textwrap
from typing import Callable, Iterator, Sequence, TypeVar

import libcst as cst
import libcst.matchers as m

from .normal import normal_text

__all__ = [
    "DOCSTRING",
    "EMPTY_LINE",
    "Node",
    "Statement",
    "at_start",
    "blocks_of",
    "consecutive",
    "find_all",
    "has_statements",
    "method_from",
    "on_self",
    "parsed",
    "replaced",
    "replaced_all",
    "statements_of",
    "visited",
    "with_comments_of",
    "with_statements",
    "with_variable",
]

Node = TypeVar("Node", bound=cst.CSTNode)

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement
"""Every statement that takes at least one line of its own."""

_Owner = TypeVar(
    "_Owner", cst.FunctionDef, cst.ClassDef, cst.If, cst.Else, cst.For, cst.With
)

DOCSTRING = m.SimpleStatementLine(body=[m.Expr(m.SimpleString())])

EMPTY_LINE = cst.EmptyLine(indent=False)


def on_self(name: str) -> m.Attribute:
    """Match `self.name`."""
    return m.Attribute(value=m.Name("self"), attr=m.Name(name))


def parsed(text: str, kind: type[Node]) -> Node:
    """Parse a statement."""
    return cst.ensure_type(cst.parse_statement(text), kind)


def method_from(source: str) -> cst.FunctionDef:
    """Parse the source of a method, which is not indented."""
    # Parsed inside a class: LibCST indents code, but not the text of docstrings.
    around = f"class _:\n{textwrap.indent(source, '    ')}"
    return cst.ensure_type(parsed(around, cst.ClassDef).body.body[0], cst.FunctionDef)


def find_all(
    tree: cst.CSTNode | cst.MaybeSentinel, kind: type[Node], pattern: m.BaseMatcherNode
) -> list[Node]:
    """Return the nodes of a kind that match a pattern, in order."""
    return [one for one in m.findall(tree, pattern) if isinstance(one, kind)]


def replaced(tree: Node, old: cst.CSTNode, new: cst.CSTNode) -> Node:
    """Replace one node, somewhere below the top, by another."""
    return cst.ensure_type(tree.deep_replace(old, new), type(tree))


def replaced_all(
    tree: Node,
    pattern: m.BaseMatcherNode | m.MatchIfTrue,
    new: cst.CSTNode | cst.RemovalSentinel | Callable[[cst.CSTNode], cst.CSTNode],
) -> Node:
    """Replace all nodes that match a pattern, somewhere below the top."""
    by = (lambda node, _: new(node)) if callable(new) else new
    return cst.ensure_type(m.replace(tree, pattern, by), type(tree))


class _Variable(cst.CSTTransformer):
    """Replaces the uses of a variable, neither keywords nor attributes of its name."""

    def __init__(self, name: str, value: cst.BaseExpression) -> None:
        self._name = name
        self._value = value

    def leave_Name(  # noqa: N802 as LibCST names it
        self,
        original_node: cst.Name,  # noqa: ARG002
        updated_node: cst.Name,
    ) -> cst.BaseExpression:
        return self._value if updated_node.value == self._name else updated_node

    def leave_Attribute(  # noqa: N802
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(  # noqa: N802
        self, original_node: cst.Arg, updated_node: cst.Arg
    ) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


def with_variable(tree: Node, name: str, value: cst.BaseExpression) -> Node:
    """Use an expression instead of a variable."""
    return visited(tree, _Variable(name, value))


def visited(tree: Node, transformer: cst.CSTTransformer) -> Node:
    """Transform a tree whose top keeps its type."""
    return cst.ensure_type(tree.visit(transformer), type(tree))


def blocks_of(node: cst.CSTNode) -> Iterator[cst.IndentedBlock]:
    """Yield the blocks of a statement at any depth, outer ones first."""
    # Not a matcher, which would also look into expressions, and take ten times longer.
    for child in node.children:
        if isinstance(child, cst.IndentedBlock):
            yield child
        if not isinstance(child, (cst.BaseExpression, cst.SimpleStatementLine)):
            yield from blocks_of(child)


def statements_of(block: cst.BaseSuite) -> list[Statement]:
    """Return the statements of a block; statements on the header's line are one."""
    if isinstance(block, cst.IndentedBlock):
        return [one for one in block.body if isinstance(one, Statement)]
    line = cst.ensure_type(block, cst.SimpleStatementSuite)
    return [cst.SimpleStatementLine(line.body)]


def with_statements(owner: _Owner, statements: Sequence[cst.BaseStatement]) -> _Owner:
    """Give a block other statements; comments at its end stay."""
    if isinstance(owner.body, cst.IndentedBlock):
        return owner.with_deep_changes(owner.body, body=statements)
    return owner.with_changes(body=cst.IndentedBlock(statements))


def at_start(statements: Sequence[Statement]) -> list[Statement]:
    """Drop the empty lines above the first statement, and keep its comments."""
    first, *others = statements
    lines = list(first.leading_lines)
    while lines and lines[0].comment is None:
        lines.pop(0)
    return [first.with_changes(leading_lines=lines), *others]


def consecutive(
    statements: Sequence[Statement], first: str, last: str | None = None
) -> range | None:
    """Return where consecutive statements are, if they are there.

    Args:
        statements: All statements of a block.
        first: How the first one begins, as text; white space does not count.
        last: How the last one begins, if it is not the first.
    """
    texts = [_bare(_code_of(one)) for one in statements]
    for begin, text in enumerate(texts):
        if not text.startswith(_bare(first)):
            continue
        if last is None:
            return range(begin, begin + 1)
        for end in range(begin + 1, len(texts)):
            if texts[end].startswith(_bare(last)):
                return range(begin, end + 1)
    return None


def has_statements(method: cst.FunctionDef, text: str) -> bool:
    """Return whether a block of a method, at any depth, has consecutive statements."""
    wanted = [normal_text(_code_of(one)) for one in cst.parse_module(text).body]
    count = len(wanted)
    for block in blocks_of(method):
        forms = [normal_text(_code_of(one)) for one in statements_of(block)]
        if any(forms[at : at + count] == wanted for at in range(len(forms))):
            return True
    return False


def _code_of(statement: cst.CSTNode) -> str:
    """Return the text of a statement, without the comments above it."""
    return cst.Module([]).code_for_node(statement.with_changes(leading_lines=[]))


def _bare(text: str) -> str:
    return "".join(text.split())


def with_comments_of(former: Statement, new: Statement) -> Statement:
    """Return a statement with the comments above and beside another one."""
    new = new.with_changes(leading_lines=former.leading_lines)
    if isinstance(former, cst.SimpleStatementLine) and isinstance(
        new, cst.SimpleStatementLine
    ):
        return new.with_changes(trailing_whitespace=former.trailing_whitespace)
    return new
