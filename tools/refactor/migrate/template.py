# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Fills in the two methods that an override could be instead."""

from __future__ import annotations

import ast
import textwrap
from typing import Iterator, Sequence

from .source import Edit, Function, Source, applied
from .steps import halves_of, parameters

__all__ = ["body_of", "template"]

_OPEN = """\
def {dispatch}({parameters}):
    ...  # what comes before the call of super(), whenever others are stepped
    return super().{dispatch}({arguments})

def {process}(self, pending):
    super().{process}(pending)
    ...  # what comes after it
"""


def body_of(method: Function) -> list[ast.stmt]:
    """Return the statements of a method, without its docstring."""
    return method.body[1:] if ast.get_docstring(method) is not None else method.body


def template(source: Source, method: Function, calls: Sequence[ast.Call]) -> str:
    """Return both halves of an override.

    Where its call of `super()` is a statement of its own, the halves do what the
    override does, if it does not matter when other learning modules are stepped.
    Otherwise the statements around the call are left open.

    Args:
        source: The module.
        method: The override.
        calls: Its calls of `super()`.
    """
    dispatch, process = halves_of(method.name)
    names = {
        "dispatch": dispatch,
        "process": process,
        "parameters": ast.unparse(method.args),
        "arguments": ", ".join(parameters(method)[1:]),
    }
    statements = body_of(method)
    at = [i for i, one in enumerate(statements) if _value(one) in calls]
    is_async = isinstance(method, ast.AsyncFunctionDef)
    if not at or len(calls) > 1 or is_async or method.lineno == calls[0].lineno:
        return _OPEN.format(**names)
    arguments = [source.of(one) for one in calls[0].args]
    arguments += [_keyword(source, one) for one in calls[0].keywords]
    names["arguments"] = ", ".join(arguments)
    before, after = statements[: at[0]], statements[at[0] + 1 :]
    call, statement = calls[0], statements[at[0]]
    carried = [
        name
        for name in sorted({*parameters(method), *_stored(before)} - {"self"})
        if name in _loaded(after)
    ]
    unset = {*carried} - {*parameters(method), *_stored_at_once(before)}
    ends_early = any(True for _ in _returns(before))
    dispatched = f"super().{dispatch}({names['arguments']})"
    if ends_early or carried:
        dispatched = f"{', '.join([dispatched, *carried])}" + "," * (not carried)
        dispatched = dispatched if carried else f"({dispatched})"
    first = [
        *(f"{name} = None\n" for name in sorted(unset)),
        _text(source, before, ends_early),
        f"return {dispatched}\n",
    ]
    processed = source.text[source.start(statement) : source.end(statement)]
    processed = processed.replace(source.of(call), f"super().{process}(pending)")
    second = [
        "if not pending:\n    return\n" if ends_early else "",
        f"{', '.join(['pending', *carried])}{',' * (not carried)} = pending\n"
        if ends_early or carried
        else "",
        f"{textwrap.dedent(processed)}\n",
        _text(source, after),
    ]
    return (
        f"def {dispatch}({names['parameters']}):\n"
        f"{textwrap.indent(''.join(first), '    ')}\n"
        f"def {process}(self, pending):\n"
        f"{textwrap.indent(''.join(second), '    ')}"
    )


def _keyword(source: Source, keyword: ast.keyword) -> str:
    value = source.of(keyword.value)
    return f"**{value}" if keyword.arg is None else f"{keyword.arg}={value}"


def _value(statement: ast.stmt) -> ast.expr | None:
    if isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)):
        return statement.value
    return None


def _text(
    source: Source, statements: Sequence[ast.stmt], ends_early: bool = False
) -> str:
    """Return the text of statements, in which returns end both halves."""
    if not statements:
        return ""
    edits = [
        Edit(source.start(one), source.end(one), "return ()")
        for one in (_returns(statements) if ends_early else ())
    ]
    start, end = source.start(statements[0]), source.end(statements[-1])
    line = source.text.rfind("\n", 0, start) + 1
    text = applied(source.text[:end], edits)[line:]
    if source.text[line:start].strip():  # after a semicolon
        text = applied(source.text[:end], edits)[start:]
    return f"{textwrap.dedent(text)}\n"


def _own_nodes(statements: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of statements, without those of functions in them."""
    todo: list[ast.AST] = [*statements]
    for node in todo:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo += ast.iter_child_nodes(node)


def _returns(statements: Sequence[ast.stmt]) -> Iterator[ast.Return]:
    for node in _own_nodes(statements):
        if isinstance(node, ast.Return):
            yield node


def _stored(statements: Sequence[ast.stmt]) -> set[str]:
    return {
        node.id
        for node in _own_nodes(statements)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    } | {
        node.name
        for node in _own_nodes(statements)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }


def _stored_at_once(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements give a value in any case."""
    return _stored(
        [one for one in statements if isinstance(one, (ast.Assign, ast.AnnAssign))]
    )


def _loaded(statements: Sequence[ast.stmt]) -> set[str]:
    return {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name)
    }
