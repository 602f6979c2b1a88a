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
_BEFORE = "steps = LMSteps(self.learning_modules, self.step_type, self.backend)"
_AFTER = "steps.process()"


class StepInTwoPhases(ClassCodemod):
    """Dispatches the learning modules' steps instead of calling their step methods.

    The loop over the learning modules looks up a step method and calls it. It becomes
    a loop that dispatches each step, group by group, followed by the processing of
    all.

    It does not look at what else stands in the loop: that still happens while steps
    are dispatched, before any of them is processed.
    """

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, METHOD)
        return bool(m.findall(method, m.Name("steps")))

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, METHOD)
        loops = [one for one in method.body.body if isinstance(one, cst.For)]
        if len(loops) != 1:
            raise self._missing("one loop over learning modules")
        (loop,) = loops
        before, after = map(cst.parse_statement, (_BEFORE, _AFTER))
        stepping = self._stepping(loop).with_changes(
            iter=cst.parse_expression("steps.each(groups)")
        )
        loop_at = list(method.body.body).index(loop)
        body = list(method.body.body)
        body[loop_at : loop_at + 1] = [before, stepping, after]
        method = method.with_deep_changes(method.body, body=body)
        return replace_method(definition, at, [method])

    def _stepping(self, loop: cst.For) -> cst.For:
        """Return the loop, which dispatches where it called a step method."""
        kept = [one.targets[0].target.value for one in m.findall(loop, _KEPT)]
        is_step = m.Call(func=_LOOKED_UP)
        for name in kept:
            is_step |= m.Call(func=m.Name(name))
        calls = m.findall(loop, m.Expr(is_step))
        if len(calls) != 1:
            raise self._missing(
                "one call, in the loop, of what getattr(..., self.step_type) returns"
            )
        index = cst.Arg(cst.Name(loop.target.value))
        call = cst.parse_expression("steps.dispatch()").with_changes(
            args=[index, *calls[0].value.args]
        )
        loop = loop.deep_replace(calls[0], cst.Expr(call))
        # Looked up and checked for each learning module where steps are dispatched.
        looked_up = m.SimpleStatementLine(body=[_KEPT])
        checked = m.SimpleStatementLine(
            body=[m.Assert(test=m.Call(func=m.Name("callable")))]
        )
        return m.replace(loop, looked_up | checked, cst.RemoveFromParent())

    def _missing(self, looked_for: str) -> MissingAnchor:
        return MissingAnchor(looked_for, class_name=self.class_name, method=METHOD)
