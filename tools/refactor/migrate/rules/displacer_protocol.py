# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Displacing hypotheses and computing their evidence are two calls now."""

# ruff: noqa: N802 LibCST calls visitors by the names of nodes

from __future__ import annotations

from functools import partial

import libcst as cst
import libcst.matchers as m

from ...class_codemod import find_method, has_method, replace_method
from ...nodes import find_all, replaced
from ...phases.columns import fitted_call
from ...phases.refusal import Refused
from ...phases.split_call import find_call
from ..class_rewriter import ClassRewriter, own_methods
from ..kinds import Kind
from ..protocol_method import Renewal, arguments_of, renewed_call, renewed_override
from ..rule import Rule

__all__ = ["RENEWAL", "RULE", "UPDATER_RULE"]

UPDATER_RULE = "updater-protocol"
"""The rule that runs before this one, and changes updaters with their calls."""

RENEWAL = Renewal(
    old="displace_hypotheses_and_compute_evidence",
    new="compute_evidence",
    parameters=(
        "displacement",
        "features",
        "evidence_update_threshold",
        "graph_id",
        "possible_hypotheses",
    ),
    dropped="displacement",
    hypotheses="possible_hypotheses",
    renamed={"possible_hypotheses": "hypotheses"},
)

_CALL = m.Call(func=m.Attribute(attr=m.Name(RENEWAL.old)))
_ON_SUPER = m.Call(func=m.Attribute(value=m.Call(func=m.Name("super"))))
_SUPER = cst.parse_expression(f"super().{RENEWAL.old}")


class _RenewDisplacers(ClassRewriter):
    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        # Displacers need no base class: the name is unique, so it is enough.
        renew = partial(self._renewed, kind=kind)
        for definition in own_methods(original, [RENEWAL.old]):
            if not has_method(updated, RENEWAL.new):
                updated = self.rewritten_or_marked(
                    definition, updated, "renewed", renew
                )
        return updated

    def _renewed(
        self, original: cst.FunctionDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        at, method = find_method(updated, RENEWAL.old)
        found = find_call(method, _SUPER)
        if found.call is None:
            raise Refused("it displaces hypotheses itself")
        if kind is not Kind.DISPLACER:
            raise Refused("its base is not among the files")
        renewed = renewed_override(method, RENEWAL, found)
        self.changed(original, f"{RENEWAL.old} became {RENEWAL.new}")
        return replace_method(updated, at, [renewed])

    def leave_SimpleStatementLine(
        self,
        original_node: cst.SimpleStatementLine,
        updated_node: cst.SimpleStatementLine,
    ) -> cst.SimpleStatementLine:
        calls = [
            one
            for one in find_all(original_node, cst.Call, _CALL)
            if not m.matches(one, _ON_SUPER)
        ]
        if self.is_in_marked_function(UPDATER_RULE):
            return updated_node  # the method around it has to be changed first
        for call in calls:
            try:
                updated_node = self._renewed_statement(
                    original_node, updated_node, call
                )
            except Refused as refused:
                return self.mark(original_node, updated_node, f"not renewed: {refused}")
            self.changed(original_node, f"{RENEWAL.old} became two calls")
        return self.unmark(updated_node) if calls else updated_node

    def _renewed_statement(
        self,
        original: cst.SimpleStatementLine,
        updated: cst.SimpleStatementLine,
        call: cst.Call,
    ) -> cst.SimpleStatementLine:
        receiver = cst.ensure_type(call.func, cst.Attribute).value
        if not _is_plain(receiver):
            raise Refused("what it is called on would be evaluated twice")
        calls = find_all(updated, cst.Call, _CALL)
        call_now = next(one for one in calls if one.deep_equals(call))
        renewed = _displace_first(call_now, self.module.code_for_node(receiver))
        result = replaced(updated, call_now, renewed)
        return fitted_call(result, renewed, self.column(original))


def _displace_first(call: cst.Call, receiver: str) -> cst.Call:
    """Make a call of the former method displace hypotheses in an argument."""
    code = cst.Module([]).code_for_node
    given = arguments_of(call, RENEWAL)
    displacement, hypotheses = (
        code(given[name].value) for name in (RENEWAL.dropped, RENEWAL.hypotheses)
    )
    displaced = cst.parse_expression(
        f"{receiver}.displace_hypotheses({displacement}, {hypotheses})"
    )
    changed = given[RENEWAL.hypotheses].with_changes(value=displaced)
    call = call.with_changes(
        args=[changed if one is given[RENEWAL.hypotheses] else one for one in call.args]
    )
    return renewed_call(call, RENEWAL, receiver)


def _is_plain(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Attribute):
        return _is_plain(node.value)
    return isinstance(node, cst.Name)


RULE: Rule = Rule(
    id="displacer-protocol",
    summary=(
        "displace_hypotheses_and_compute_evidence becomes displace_hypotheses and "
        "compute_evidence."
    ),
    by_hand=(
        "Move what displaces hypotheses to displace_hypotheses(displacement, "
        "hypotheses), and the rest to compute_evidence(features, "
        "evidence_update_threshold, graph_id, hypotheses), which is given hypotheses "
        "that are displaced."
    ),
    words=RENEWAL.old,
    rewrite=lambda module, file: _RenewDisplacers(RULE.id, file).run(module),
)
