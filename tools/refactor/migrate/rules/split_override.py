# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides of a learning module's step that call `super()` become halves, or stay."""

from __future__ import annotations

import ast
from typing import Iterator

from ..attributes import is_super
from ..classes import ProjectClass
from ..kinds import Kind
from ..own_code import NotOwn, check_own
from ..rule import Left, Project, PythonFile, Rule
from ..source import Edit, Function, Source
from ..steps import (
    MONTYS_ATTRIBUTES,
    MONTYS_STEP,
    TWO_PHASE_METHODS,
    can_be_called,
    halves_of,
    parameters,
)
from ..template import body_of, share_a_line, template

__all__ = ["RULE"]

MAX_COLUMNS = 88
_MARKERS = {"override", "final"}
_ATTRIBUTE_ACCESS = {"__getattr__", "__getattribute__", "__setattr__", "__delattr__"}
_ADVICE = """\
It runs whole while steps are processed. Nothing has to be done. If it does not matter
to it when other learning modules are stepped, its work can run together with theirs:

{}"""


class _Whole(Exception):
    """An override stays whole."""


def _look(file: PythonFile) -> None:
    classes = file.project.classes
    for name in file.names.classes:
        one = ProjectClass(file.path, name)
        kind = classes.kind(one)
        may_be_one = kind is Kind.UNKNOWN and file.names.mentions_monty
        if kind is Kind.EVIDENCE_LM or (may_be_one and classes.unknown_bases(one)):
            for method in TWO_PHASE_METHODS:
                _look_at(file, one, method)


def _look_at(file: PythonFile, one: ProjectClass, name: str) -> None:
    for method in _overrides(file.project, one, name):
        if not can_be_called(method) or _has_halves(file, one, name):
            continue
        calls = [*_calls_of_super(method)]
        try:
            _check_family(file.project, one, name)
        except _Whole as whole:
            filled = template(file.source, method, calls)
            what = f"{one.short}.{name} stays whole: {whole}"
            file.leave(method, Left(what, _ADVICE.format(filled), works=True))
            continue
        dispatch, process = halves_of(name)
        edits = [*_edits(file.source, method, calls[0])]
        is_last = body_of(method)[-1].end_lineno == calls[0].end_lineno
        what = dispatch if is_last else f"{dispatch} and {process}"
        file.noted.change(file.source.start(method), f"{name} became {what}", edits)


def _has_halves(file: PythonFile, one: ProjectClass, name: str) -> bool:
    return any(
        isinstance(node, ast.FunctionDef) and node.name in halves_of(name)
        for node in file.project.classes.definition(one).body
    )


def _overrides(project: Project, one: ProjectClass, name: str) -> list[Function]:
    """Return the definitions of a method in a class, also in its branches."""
    return [
        node
        for statement in project.classes.definition(one).body
        for node in _in_statement(statement)
        if node.name == name
    ]


def _in_statement(statement: ast.stmt) -> Iterator[Function]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield statement
    elif not isinstance(statement, ast.ClassDef):
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                yield from _in_statement(child)


def _calls_of_super(method: Function) -> Iterator[ast.Call]:
    for node in ast.walk(method):
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr=method.name)) if is_super(
                of
            ):
                yield node


def _check_family(project: Project, one: ProjectClass, name: str) -> None:
    """Refuse to split an override unless all that share an instance with it are.

    A class must not have halves of a method above a class that has it whole.
    """
    group = [one]
    for each in group:
        for base in project.classes.unknown_bases(each):
            short = base.rpartition(".")[2] or "a base class"
            raise _Whole(f"{short} is not among the files")
        _check_class(project, each, name)
        for other in project.classes.family(each):
            if isinstance(other, str):
                continue
            if other not in group and name in project.classes.members(other):
                try:
                    _check_class(project, other, name)
                except _Whole as whole:
                    raise _Whole(
                        f"so does {other.short}.{name}, with which it shares instances"
                    ) from whole
                group.append(other)
            _check_members(project, other)


def _check_members(project: Project, one: ProjectClass) -> None:
    members = project.classes.members(one)
    parts = MONTYS_STEP.difference(TWO_PHASE_METHODS)
    for name in sorted(members & (parts | _ATTRIBUTE_ACCESS)):
        of = "" if name in _ATTRIBUTE_ACCESS else ", which the step calls"
        raise _Whole(f"{one.short} has a {name} of its own{of}")


def _check_class(project: Project, one: ProjectClass, name: str) -> None:
    """Refuse to split an override that a reader does not see to be safe."""
    if project.classes.kind(one) is not Kind.EVIDENCE_LM:
        raise _Whole(f"{one.short} is no evidence learning module, or not only one")
    if one.file in project.classes.of_monty:
        raise _Whole("it belongs to a copy of tbp.monty")
    definition, *others = project.classes.names(one.file).classes[one.name]
    if others or definition.decorator_list or definition.keywords:
        raise _Whole("the class is decorated, has a metaclass, or is defined twice")
    overrides = _overrides(project, one, name)
    method = overrides[0] if overrides else None
    if len(overrides) != 1 or method not in definition.body:
        raise _Whole("it is not defined once, at the top of the class")
    source = project.classes.source(one.file)
    assert isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef))
    assert source is not None
    _check_method(project, source, method, one.short)


def _check_method(
    project: Project, source: Source, method: Function, class_name: str
) -> None:
    _check_form(source, method)
    given = parameters(method)
    if given[:1] != ["self"] or not can_be_called(method):
        raise _Whole("its parameters are not those of Monty's")
    own = ("super()", f"super({class_name}, self)")
    supers = [node for node in ast.walk(method) if is_super(node)]
    calls = [*_calls_of_super(method)]
    if len(supers) != 1 or len(calls) != 1 or source.of(supers[0]) not in own:
        raise _Whole("it does not call super() exactly once")
    statements = body_of(method)
    at = next((i for i, one in enumerate(statements) if _is_call(one, calls[0])), None)
    if at is None:
        raise _Whole("the call of super() is not a statement of its own")
    if isinstance(statements[at], ast.Return) and statements[at + 1 :]:
        raise _Whole("there is code after its return")
    _check_arguments(calls[0], given)
    attributes = project.attributes
    if attributes.is_bypassed(method.name):
        raise _Whole(f"a {method.name} is also called of a base class, or by its name")
    for montys in sorted(MONTYS_ATTRIBUTES):
        if attributes.is_seen(montys):
            raise _Whole(f"other learning modules may use its {montys}")
    try:
        check_own(statements[:at], given[1:], attributes, source)
        check_own(statements[at + 1 :], (), attributes, source)
    except NotOwn as reason:
        raise _Whole(str(reason)) from reason


def _check_form(source: Source, method: Function) -> None:
    if isinstance(method, ast.AsyncFunctionDef):
        raise _Whole("it is async")
    for one in method.decorator_list:
        if source.of(one).rpartition(".")[2] not in _MARKERS:
            raise _Whole("a decorator would apply to one half only")
    if share_a_line(method):
        raise _Whole("several statements are on a line")


def _is_call(statement: ast.stmt, call: ast.Call) -> bool:
    is_plain = isinstance(statement, (ast.Expr, ast.Return))
    return is_plain and getattr(statement, "value", None) is call


def _check_arguments(call: ast.Call, given: list[str]) -> None:
    values = [*call.args, *(one.value for one in call.keywords)]
    for value in values:
        of = value.value if isinstance(value, ast.Starred) else value
        if not (isinstance(of, ast.Name) and of.id in given):
            raise _Whole("it gives super() other arguments than it has")


def _edits(source: Source, method: Function, call: ast.Call) -> Iterator[Edit]:
    """Yield the edits that make a method two."""
    dispatch, process = halves_of(method.name)
    keyword = source.start(method)
    name = source.text.index(method.name, keyword + len("def"))
    yield Edit(name, name + len(method.name), dispatch)
    if method.returns is not None:
        arrow = source.text.rindex("->", 0, source.start(method.returns))
        yield Edit(len(source.text[:arrow].rstrip()), source.end(method.returns), "")
    statements = body_of(method)
    at = next(i for i, one in enumerate(statements) if _is_call(one, call))
    statement = statements[at]
    start = source.start(statement)
    if isinstance(statement, ast.Expr):
        yield Edit(start, start, "return ")
    yield Edit(
        source.end(call.func) - len(method.name), source.end(call.func), dispatch
    )
    if call.lineno == call.end_lineno:
        added = len(dispatch) - len(method.name) + len("return ")
        column = start - source.text.rfind("\n", 0, start) - 1
        if column + len(source.of(statement)) + added > MAX_COLUMNS:
            bracket = source.text.index("(", source.end(call.func)) + 1
            indent = " " * column
            yield Edit(bracket, bracket, f"\n{indent}    ")
            yield Edit(source.end(call) - 1, source.end(call) - 1, f"\n{indent}")
    if statements[at + 1 :]:
        line = source.line_end(statement.end_lineno or 0)
        shallow, deep = (
            source.lines(one.lineno, one.lineno)[: one.col_offset]
            for one in (method, statement)
        )
        marks = [f"{shallow}@{source.of(one)}\n" for one in method.decorator_list]
        yield Edit(
            line,
            line,
            f"\n{''.join(marks)}{shallow}def {process}(self, pending):\n"
            f"{deep}super().{process}(pending)\n",
        )


RULE: Rule = Rule(
    id="split-override",
    summary=(
        "In evidence learning modules, an override of the matching step, or of a part "
        "of it, becomes halves if a reader sees that it is safe."
    ),
    words=rf"def\s+({'|'.join(TWO_PHASE_METHODS)})\b",
    look=_look,
)
