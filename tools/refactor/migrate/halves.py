# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Splits a method that overrides one of Monty's and calls `super()` into halves."""

# ruff: noqa: N802, ARG002 LibCST calls visitors by the names of nodes

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Collection, Sequence

import libcst as cst

from ..imports import NeededImport
from ..nodes import Statement, parsed, replaced, statements_of, visited, with_statements
from ..phases.blocks import at_start
from ..phases.columns import fitted_call, fitted_signature
from ..phases.cut_method import CutMethod, cut_method
from ..phases.dispatch_half import called_in
from ..phases.naming import halves_of, pending_type_name
from ..phases.parameters import all_parameters, arguments_passing_on
from ..phases.records import records_for

__all__ = ["OverrideHalves", "halves_of_override"]

_IN_METHOD = 8
_RECORD_IMPORTS = (
    NeededImport("contextlib", "ExitStack"),
    NeededImport("dataclasses", "dataclass"),
    NeededImport("typing", "Any"),
)
_code = cst.Module([]).code_for_node


@dataclass(frozen=True)
class OverrideHalves:
    """An override, split into halves.

    Attributes:
        methods: Its halves. A half that only calls its base's is left out.
        records: The class of the object passed between them, if there is one.
        imports: What that class needs.
    """

    methods: Sequence[cst.FunctionDef]
    records: Sequence[cst.ClassDef] = ()
    imports: Sequence[NeededImport] = field(default=())


def halves_of_override(
    method: cst.FunctionDef,
    call: str,
    class_name: str,
    taken: Collection[str],
    evaluated_annotations: bool,
) -> OverrideHalves:
    """Make the halves.

    The whole method is not kept: that of the base class calls the halves. An inherited
    half returns what the base class returns, which is None in Monty, even if the
    override dropped it.

    Args:
        method: The override.
        call: What it calls of its base class: `super().matching_step`.
        class_name: Its class.
        taken: Names that the module uses.
        evaluated_annotations: Whether annotations are evaluated when the module is
            imported, so that they must not use undefined names.

    Returns:
        The halves.
    """
    type_name = pending_type_name(method.name.value, class_name, taken)
    # From a method within a step, None would tell the step that there is no work.
    may_be_none = not method.name.value.startswith("_")
    made = cut_method(method, type_name, call, may_be_none)
    if _travels_nothing(made):
        return OverrideHalves(_plain_halves(made))
    return _halves_with_record(made, evaluated_annotations)


def _travels_nothing(made: CutMethod) -> bool:
    """Return whether only the work of the base class is pending."""
    pending = made.pending
    alone = len(made.cut.levels) == 1 and not pending.stacks and not pending.flags
    return alone and not made.carried.names and not made.first.finishes


def _plain_halves(made: CutMethod) -> list[cst.FunctionDef]:
    method, (level,) = made.method, made.cut.levels
    halves = halves_of(method.name.value)
    *before, last = level.before
    dispatching = cst.ensure_type(last, cst.SimpleStatementLine)
    processing, *after = level.after
    passes_on = _passes_on(made.call, method.params)
    has_first = bool(before) or not passes_on or not after
    has_second = bool(after)
    variable = made.pending.variable
    if not has_first:
        # Comments above the call or beside it stay there.
        processing = processing.with_changes(
            leading_lines=dispatching.leading_lines,
            trailing_whitespace=dispatching.trailing_whitespace,
        )
    methods = []
    if has_first:
        dispatched = called_in(dispatching)
        returning = dispatching.with_changes(body=[cst.Return(dispatched)])
        returning = fitted_call(returning, dispatched, _IN_METHOD)
        footer = () if has_second else level.footer
        first = _with_body(method, [*before, returning], footer)
        first = first.with_changes(name=cst.Name(halves.dispatch), returns=None)
        methods.append(fitted_signature(first))
    if has_second:
        result = made.processing.with_changes(args=[cst.Arg(cst.Name(variable))])
        processing = replaced(processing, made.processing, result)
        second = _with_body(method, [processing, *after], level.footer)
        second = second.with_changes(name=cst.Name(halves.process))
        methods.append(_taking(variable, second))
    return _documented(methods, method)


def _halves_with_record(made: CutMethod, evaluated_annotations: bool) -> OverrideHalves:
    method, pending = made.method, made.pending
    halves = halves_of(method.name.value)
    methods = [
        one.with_changes(decorators=method.decorators)
        for one in (
            made.first.build(method, halves.dispatch),
            made.second.build(method, halves.process, made.first, made.returns_value),
        )
    ]
    is_annotated = any(one.annotation for one in all_parameters(method.params))
    if evaluated_annotations or not is_annotated:
        first, second = methods
        first = first.with_changes(
            returns=None,
            params=method.params,
            whitespace_before_params=method.whitespace_before_params,
        )
        methods = [
            fitted_signature(first),
            _taking(pending.variable, second),
        ]
    described = (
        visited(method, _WithoutAnnotations()) if evaluated_annotations else method
    )
    records = records_for(described, pending, made.first)
    used = "".join(_code(record) for record in records)
    return OverrideHalves(
        _documented(methods, method),
        records,
        [needed for needed in _RECORD_IMPORTS if needed.name in used],
    )


def _passes_on(call: cst.Call, parameters: cst.Parameters) -> bool:
    """Return whether a call passes on all parameters and nothing else."""
    expected = arguments_passing_on(parameters)
    given = [
        _code(one.value)
        if one.keyword and one.value.deep_equals(one.keyword)
        else _code(one.with_changes(comma=cst.MaybeSentinel.DEFAULT)).strip()
        for one in call.args
    ]
    return given == [one.partition("=")[2] or one for one in expected]


def _taking(variable: str, half: cst.FunctionDef) -> cst.FunctionDef:
    """Give a second half the pending object as its only parameter."""
    instance = all_parameters(half.params)[0].name.value
    params = parsed(f"def half({instance}, {variable}): pass", cst.FunctionDef).params
    return half.with_changes(
        params=params, whitespace_before_params=cst.SimpleWhitespace("")
    )


def _with_body(
    method: cst.FunctionDef,
    statements: Sequence[Statement],
    footer: Sequence[cst.EmptyLine],
) -> cst.FunctionDef:
    half = with_statements(method, at_start(statements))
    return half.with_deep_changes(half.body, footer=footer)


def _documented(
    methods: Sequence[cst.FunctionDef], method: cst.FunctionDef
) -> list[cst.FunctionDef]:
    """Give the docstring of the whole to its first half."""
    first, *others = methods
    if method.get_docstring() is not None:
        docstring = statements_of(method.body)[0]
        first = with_statements(first, [docstring, *statements_of(first.body)])
    return [first, *others]


class _WithoutAnnotations(cst.CSTTransformer):
    def leave_Param(
        self, original_node: cst.Param, updated_node: cst.Param
    ) -> cst.Param:
        return updated_node.with_changes(annotation=None)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        return updated_node.with_changes(returns=None)

    def leave_AnnAssign(
        self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign
    ) -> cst.BaseSmallStatement:
        if not isinstance(updated_node.target, cst.Name):
            return updated_node
        value = updated_node.value or cst.Name("None")
        return cst.Assign([cst.AssignTarget(updated_node.target)], value)
