# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Splits the matching step of a learning module where it computes matches."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from ..class_codemod import ClassCodemod, find_method, has_method, replace_method
from ..failures import MissingAnchor
from ..phases.columns import fitted_call
from ..phases.names import names_of
from ..templates import method_from

__all__ = ["SplitMatchingStep"]

METHOD = "matching_step"

_WHOLE = """\
def whole():
    self.process_matching_step(self.dispatch_matching_step(ctx, percepts))
"""

_DISPATCH = """\
def dispatch_matching_step(
    self,
    ctx: RuntimeContext,
    percepts: Sequence[Message],
) -> PendingStep:
    return PendingStep(ctx, feature_percepts, work)
"""

_PROCESS = """\
def process_matching_step(self, pending: PendingStep) -> None:
    if pending.work is None:
        return

    self._process_compute_possible_matches(pending.work)
"""

_NO_WORK = cst.parse_statement("return PendingStep(ctx, percepts)").body[0]
_CARRIED = {"ctx": "pending.ctx", "feature_percepts": "pending.percepts"}
_MATCHING = m.SimpleStatementLine(
    body=[
        m.Expr(
            m.Call(
                func=m.Attribute(m.Name("self"), m.Name("_compute_possible_matches"))
            )
        )
    ]
)


class SplitMatchingStep(ClassCodemod):
    """Splits `matching_step` at the call of `_compute_possible_matches`.

    What stands before the call goes to the half that dispatches, and what stands after
    it to the half that processes. A step that ends before the call has no work. The
    whole step stays, as one half after the other.

    It does not look at what is called, and it refuses a step in which the second half
    needs other variables of the first than `ctx` and `feature_percepts`.
    """

    def already_done(self, definition: cst.ClassDef) -> bool:
        return has_method(definition, "dispatch_matching_step")

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, METHOD)
        docstring, *statements = method.body.body
        calls = [i for i, one in enumerate(statements) if m.matches(one, _MATCHING)]
        if len(calls) != 1:
            raise self._missing("one call of self._compute_possible_matches")
        (call,) = calls
        before, after = statements[:call], statements[call + 1 :]
        self._check_carried(method, before, after)
        whole = method_from(_WHOLE).body.body
        methods = [
            method.with_deep_changes(method.body, body=[docstring, *whole]),
            _dispatch_half(before, statements[call]),
            _process_half(after),
        ]
        return replace_method(definition, at, methods)

    def _check_carried(self, method: cst.FunctionDef, before, after) -> None:
        parameters = {one.name.value for one in method.params.params} - {"self"}
        made = parameters | names_of(*before).made_local
        needed = (names_of(*after).used & made) - set(_CARRIED)
        if needed:
            raise self._missing(f"no use of {min(needed)} after the call")

    def _missing(self, looked_for: str) -> MissingAnchor:
        return MissingAnchor(looked_for, class_name=self.class_name, method=METHOD)


def _dispatch_half(before, call: cst.SimpleStatementLine) -> cst.FunctionDef:
    half = method_from(_DISPATCH)
    before = [m.replace(one, m.Return(value=None), _NO_WORK) for one in before]
    matching = call.body[0].value
    dispatching = matching.with_deep_changes(
        matching.func, attr=cst.Name("_dispatch_compute_possible_matches")
    )
    assigned = cst.Assign([cst.AssignTarget(cst.Name("work"))], dispatching)
    dispatched = call.with_changes(body=[assigned])
    body = [*before, fitted_call(dispatched, dispatching, 8), *half.body.body]
    return half.with_deep_changes(half.body, body=body)


def _process_half(after) -> cst.FunctionDef:
    half = method_from(_PROCESS)
    for name, attribute in _CARRIED.items():
        value = cst.parse_expression(attribute)
        after = [m.replace(one, m.Name(name), value) for one in after]
    return half.with_deep_changes(half.body, body=[*half.body.body, *after])
