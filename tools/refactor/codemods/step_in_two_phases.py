# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes a loop over learning modules two: one dispatches, the other processes."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod
from ..nodes import (
    find_all,
    has_statements,
    on_self,
    replaced,
    replaced_all,
    statements_of,
    with_comments_of,
    with_statements,
)

__all__ = ["StepInTwoPhases"]

_LOOKED_UP = m.Call(func=m.Name("getattr"), args=[m.Arg(), m.Arg(on_self("step_type"))])
_KEPT = m.Assign(targets=[m.AssignTarget(m.Name())], value=_LOOKED_UP)
_BEFORE = "pending = {}"
_PHASES = """\
try:
    for group in groups:
        self.backend.launch(group)
finally:
    for i in sorted(pending):
        process_step(self.learning_modules[i], self.step_type, pending[i])
"""
_DISPATCH = """\
pending[{index}] = dispatch_step(
    self.learning_modules[{index}], self.step_type, {arguments}
)
"""


@dataclass(frozen=True, kw_only=True)
class StepInTwoPhases(MethodCodemod):
    """Dispatches the learning modules' steps instead of calling their step methods.

    The loop over the learning modules looks up a step method and calls it. It becomes
    a loop that dispatches each step, group by group. After it all steps are processed,
    also if one could not be dispatched: those before it finish theirs.

    It does not look at other statements in the loop: they still run while steps are
    dispatched, before any of them is processed.
    """

    method: str = "step_learning_modules"

    def is_done(self, method: cst.FunctionDef) -> bool:
        return has_statements(method, _BEFORE)

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        body = statements_of(method.body)
        loops = [one for one in body if isinstance(one, cst.For)]
        if len(loops) != 1:
            raise self.missing("one loop over learning modules")
        (loop,) = loops
        phases = cst.parse_statement(_PHASES)
        (groups,) = find_all(phases, cst.For, m.For(target=m.Name("group")))
        stepping = self._stepping(loop).with_changes(iter=cst.Name("group"))
        dispatching = [stepping, *statements_of(groups.body)]
        phases = replaced(phases, groups, with_statements(groups, dispatching))
        loop_at = body.index(loop)
        body[loop_at : loop_at + 1] = [cst.parse_statement(_BEFORE), phases]
        return [with_statements(method, body)]

    def _stepping(self, loop: cst.For) -> cst.For:
        """Return the loop, with dispatching in place of the call of a step method."""
        targets = [one.targets[0].target for one in find_all(loop, cst.Assign, _KEPT)]
        functions = [one.value for one in targets if isinstance(one, cst.Name)]
        is_step = _LOOKED_UP | m.Name(m.MatchIfTrue(lambda name: name in functions))
        called = m.SimpleStatementLine(body=[m.Expr(m.Call(func=is_step))])
        calls = find_all(loop, cst.SimpleStatementLine, called)
        if len(calls) != 1:
            raise self.missing(
                "one call, in the loop, of what getattr(..., self.step_type) returns"
            )
        code_of = cst.Module([]).code_for_node
        call = cst.ensure_type(
            cst.ensure_type(calls[0].body[0], cst.Expr).value, cst.Call
        )
        dispatch = _DISPATCH.format(
            index=code_of(loop.target), arguments="".join(map(code_of, call.args))
        )
        dispatched = with_comments_of(calls[0], cst.parse_statement(dispatch))
        loop = replaced(loop, calls[0], dispatched)
        # Looked up and checked for each learning module where steps are dispatched.
        looked_up = m.SimpleStatementLine(body=[_KEPT])
        checked = m.SimpleStatementLine(
            body=[m.Assert(test=m.Call(func=m.Name("callable")))]
        )
        return replaced_all(loop, looked_up | checked, cst.RemoveFromParent())
