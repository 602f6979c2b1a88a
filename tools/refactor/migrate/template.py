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
import re
import textwrap
from itertools import pairwise
from typing import Iterator, Sequence

from ..names import names_of_code
from .source import Edit, Function, Source, applied
from .steps import halves_of, parameters

__all__ = ["body_of", "share_a_line", "template"]

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


def share_a_line(method: Function) -> bool:
    """Return whether a statement of a method begins on a line of the one before."""
    lines = [(method.lineno, method.lineno)]
    lines += [(one.lineno, one.end_lineno or one.lineno) for one in body_of(method)]
    return any(end == start for (_, end), (start, _) in pairwise(lines))


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
        "arguments": ", ".join(_arguments(source, method, calls)),
    }
    statements = body_of(method)
    at = [i for i, one in enumerate(statements) if _value(one) in calls]
    is_async = isinstance(method, ast.AsyncFunctionDef)
    if not at or len(calls) > 1 or is_async or share_a_line(method):
        return _OPEN.format(**names)
    before, after = statements[: at[0]], statements[at[0] + 1 :]
    call, statement = calls[0], statements[at[0]]
    given = {*parameters(method)} - {"self"}
    ends_early = any(True for _ in _returns(before))
    made = names_of_code(ast.unparse(ast.Module(before, []))).made_local
    used = names_of_code(ast.unparse(ast.Module(after, []))).used
    carried = sorted((given | made) & used)
    unset = {*carried} - given - {*map(_assigned, before)}
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
        f"{_dedented(processed, statement.col_offset)}\n",
        _text(source, after),
    ]
    return (
        f"def {dispatch}({names['parameters']}):\n"
        f"{textwrap.indent(''.join(first), '    ')}\n"
        f"def {process}(self, pending):\n"
        f"{textwrap.indent(''.join(second), '    ')}"
    )


def _arguments(
    source: Source, method: Function, calls: Sequence[ast.Call]
) -> Iterator[str]:
    """Yield the arguments that the base class is given."""
    if not calls:
        yield from parameters(method)[1:]
        return
    yield from map(source.of, calls[0].args)
    for one in calls[0].keywords:
        value = source.of(one.value)
        yield f"**{value}" if one.arg is None else f"{one.arg}={value}"


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
    return f"{_dedented(text, statements[0].col_offset)}\n"


def _dedented(text: str, column: int) -> str:
    """Move lines to the left; comments may begin further left than the code."""
    return re.sub(rf"^[ \t]{{1,{column}}}", "", text, flags=re.MULTILINE)


def _returns(statements: Sequence[ast.stmt]) -> Iterator[ast.Return]:
    """Yield the returns in statements, without those of functions in them."""
    todo: list[ast.AST] = [*statements]
    for node in todo:
        if isinstance(node, ast.Return):
            yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            todo += ast.iter_child_nodes(node)


def _assigned(statement: ast.stmt) -> str:
    """Return the name that a statement gives a value in any case."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.FunctionDef(name=name):
            return name
    return ""
