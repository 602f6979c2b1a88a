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

__all__ = [
    "DOCSTRING",
    "EMPTY_LINE",
    "Node",
    "Statement",
    "at_start",
    "blocks_of",
    "consecutive",
    "find_all",
    "method_from",
    "on_self",
    "parsed",
    "replaced",
    "replaced_all",
    "statements_of",
    "texts_of",
    "visited",
    "with_comments_of",
    "with_statements",
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
        first: How the first one begins, as text.
        last: How the last one begins, if it is not the first.
    """
    texts = texts_of(statements)
    for begin, text in enumerate(texts):
        if not text.startswith(first):
            continue
        if last is None:
            return range(begin, begin + 1)
        for end in range(begin + 1, len(texts)):
            if texts[end].startswith(last):
                return range(begin, end + 1)
    return None


def texts_of(statements: Sequence[Statement]) -> list[str]:
    """Return statements as text, without the comments above and beside them."""
    plain = cst.SimpleStatementLine([])
    code_of = cst.Module([]).code_for_node
    return [code_of(with_comments_of(plain, one)) for one in statements]


def with_comments_of(former: Statement, new: Statement) -> Statement:
    """Return a statement with the comments above and beside another one."""
    new = new.with_changes(leading_lines=former.leading_lines)
    if isinstance(former, cst.SimpleStatementLine) and isinstance(
        new, cst.SimpleStatementLine
    ):
        return new.with_changes(trailing_whitespace=former.trailing_whitespace)
    return new
