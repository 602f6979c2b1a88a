# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Has `step_learning_modules` dispatch all steps before any result is processed."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from ..class_codemod import ClassCodemod, find_method, replace_method
from ..failures import MissingAnchor
from ..phases.columns import fitted_call

__all__ = ["StepInTwoPhases"]

METHOD = "step_learning_modules"

_LOOKED_UP = m.Call(
    func=m.Name("getattr"),
    args=[
        m.Arg(),
        m.Arg(m.Attribute(value=m.Name("self"), attr=m.Name("step_type"))),
    ],
)
_KEPT = m.Assign(targets=[m.AssignTarget(m.Name())], value=_LOOKED_UP)
_INDENT = 4


class StepInTwoPhases(ClassCodemod):
    """Hands the learning modules' step methods over instead of calling them.

    The loop over the learning modules looks up a step method and calls it. It becomes
    a loop that dispatches each step, followed by the processing of all.

    It does not look at what else stands in the loop: that goes on to happen while
    steps are dispatched, before any of them is processed.
    """

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, METHOD)
        return bool(m.findall(method, m.Name("LMSteps")))

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, METHOD)
        loops = [one for one in method.body.body if isinstance(one, cst.For)]
        if len(loops) != 1:
            raise self._missing("one loop over learning modules")
        (loop,) = loops
        call = self._call_of_step(loop)
        dispatching = cst.parse_expression("steps.dispatch()").with_changes(
            args=[cst.Arg(call.func), *call.args]
        )
        before, after = map(
            cst.parse_statement, ("steps = LMSteps(self.backend)", "steps.process()")
        )
        loop_at = list(method.body.body).index(loop)
        body = list(method.body.body)
        body[loop_at : loop_at + 1] = [
            before,
            _with_call(loop, call, dispatching),
            after,
        ]
        method = method.with_deep_changes(method.body, body=body)
        return replace_method(definition, at, [method])

    def _call_of_step(self, loop: cst.For) -> cst.Call:
        kept = [one.targets[0].target.value for one in m.findall(loop, _KEPT)]
        is_step = m.Call(func=_LOOKED_UP)
        for name in kept:
            is_step |= m.Call(func=m.Name(name))
        calls = [
            one.value
            for one in m.findall(loop, m.Expr(is_step))
            if isinstance(one.value, cst.Call)
        ]
        if len(calls) != 1:
            raise self._missing(
                "one call, in the loop, of what getattr(..., self.step_type) returns"
            )
        return calls[0]

    def _missing(self, looked_for: str) -> MissingAnchor:
        return MissingAnchor(looked_for, class_name=self.class_name, method=METHOD)


def _with_call(loop: cst.For, call: cst.Call, dispatching: cst.Call) -> cst.For:
    """Put one call in the place of another, within the columns."""
    transformer = _Replace(call, dispatching)
    return cst.ensure_type(loop.visit(transformer), cst.For)


class _Replace(cst.CSTTransformer):
    def __init__(self, call: cst.Call, by: cst.Call) -> None:
        super().__init__()
        self._call = call
        self._by = by
        self._depth = 1  # the loop itself stands in a method

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:  # noqa: N802, ARG002
        self._depth += 1

    def leave_IndentedBlock(  # noqa: N802
        self,
        original_node: cst.IndentedBlock,  # noqa: ARG002
        updated_node: cst.IndentedBlock,
    ) -> cst.IndentedBlock:
        self._depth -= 1
        return updated_node

    def leave_SimpleStatementLine(  # noqa: N802
        self,
        original_node: cst.SimpleStatementLine,
        updated_node: cst.SimpleStatementLine,
    ) -> cst.SimpleStatementLine:
        if not m.matches(original_node, m.SimpleStatementLine(body=[m.Expr()])):
            return updated_node
        if original_node.body[0].value is not self._call:
            return updated_node
        line = updated_node.with_changes(body=[cst.Expr(self._by)])
        return fitted_call(line, self._by, (self._depth + 1) * _INDENT)
