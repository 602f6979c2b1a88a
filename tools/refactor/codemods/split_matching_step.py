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

from dataclasses import dataclass
from typing import Sequence

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod, find_method, has_method
from ..names import names_of
from ..nodes import (
    Statement,
    find_all,
    has_statements,
    method_from,
    on_self,
    parsed,
    replaced_all,
    statements_of,
    with_statements,
    with_variable,
)

__all__ = ["SplitMatchingStep"]

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
    return PendingStep(ctx, [copy(p) for p in feature_percepts], matches)
"""

_PROCESS = """\
def process_matching_step(self, pending: PendingStep) -> None:
    if pending.is_over:
        return

    self._process_compute_possible_matches(pending.matches)
"""

_IS_OVER = parsed(
    "return PendingStep(ctx, percepts, is_over=True)", cst.SimpleStatementLine
).body[0]
_CARRIED = {"ctx": "pending.ctx", "feature_percepts": "pending.percepts"}
_CALL = m.Call(func=on_self("_compute_possible_matches"))
_MATCHING = m.SimpleStatementLine(body=[m.Expr(_CALL)])


@dataclass(frozen=True, kw_only=True)
class SplitMatchingStep(MethodCodemod):
    """Splits `matching_step` at the call of `_compute_possible_matches`.

    Statements before the call go to the half that dispatches, and statements after it
    to the half that processes. A step that ends before the call is over. The whole
    step stays, and calls one half after the other.

    It does not look at what is called. It refuses a step whose second half needs
    variables of the first other than `ctx` and `feature_percepts`.
    """

    method: str = "matching_step"

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, self.method)
        done = statements_of(method_from(_WHOLE).body)
        return has_method(definition, "dispatch_matching_step") and has_statements(
            method, cst.Module(done).code
        )

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        docstring, *statements = statements_of(method.body)
        calls = [i for i, one in enumerate(statements) if m.matches(one, _MATCHING)]
        if len(calls) != 1:
            raise self.missing("one call of self._compute_possible_matches")
        (call,) = calls
        before, after = statements[:call], statements[call + 1 :]
        self._check_carried(method, before, after)
        whole = statements_of(method_from(_WHOLE).body)
        return [
            with_statements(method, [docstring, *whole]),
            _dispatch_half(before, statements[call]),
            _process_half(after),
        ]

    def _check_carried(
        self,
        method: cst.FunctionDef,
        before: Sequence[Statement],
        after: Sequence[Statement],
    ) -> None:
        parameters = {one.name.value for one in method.params.params} - {"self"}
        made = parameters | names_of(*before).made_local
        needed = (names_of(*after).used & made) - set(_CARRIED)
        if needed:
            raise self.missing(f"no use of {min(needed)} after the call")


def _dispatch_half(before: Sequence[Statement], call: Statement) -> cst.FunctionDef:
    half = method_from(_DISPATCH)
    before = [replaced_all(one, m.Return(value=None), _IS_OVER) for one in before]
    (matching,) = find_all(call, cst.Call, _CALL)
    dispatching = matching.with_deep_changes(
        matching.func, attr=cst.Name("_dispatch_compute_possible_matches")
    )
    assigned = cst.Assign([cst.AssignTarget(cst.Name("matches"))], dispatching)
    dispatched = call.with_changes(body=[assigned])
    last = statements_of(half.body)
    return with_statements(half, [*before, dispatched, *last])


def _process_half(after: Sequence[Statement]) -> cst.FunctionDef:
    half = method_from(_PROCESS)
    for name, attribute in _CARRIED.items():
        value = cst.parse_expression(attribute)
        after = [with_variable(one, name, value) for one in after]
    return with_statements(half, [*statements_of(half.body), *after])
