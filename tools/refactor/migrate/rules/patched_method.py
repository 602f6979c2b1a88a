# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Methods that are replaced from outside, while Monty calls their halves."""

from __future__ import annotations

import re

import libcst as cst
import libcst.matchers as m
from libcst.helpers import get_full_name_for_node

from ...nodes import find_all
from ..kinds import Kind, kind_of_upstream_class
from ..rule import Rule
from ..statement_marker import StatementMarker
from .split_override import TWO_PHASE_METHODS

__all__ = ["RULE"]

STEP = "matching_step"
"""If this is replaced on one learning module, stepping calls the replacement."""

_BY_NAME = m.Call(func=m.Name("setattr") | m.Attribute(attr=m.Name("setattr")))
_PATCH = m.Call(func=m.Attribute(attr=m.Name("object")) | m.Name("patch_object"))
_PATCH_PATH = m.Call(func=m.Name("patch") | m.Attribute(attr=m.Name("patch")))
_METHODS = "|".join(TWO_PHASE_METHODS)
_PATH = re.compile(rf"^(tbp\.monty\.[\w.]+)\.({_METHODS})$")


class _FindPatches(StatementMarker):
    def reason(self, node: cst.CSTNode) -> str | None:
        method = self._replaced_method(node)
        return method and f"{method} is replaced, and its halves are what Monty calls"

    def _replaced_method(self, node: cst.CSTNode) -> str | None:
        for assignment in find_all(node, cst.AssignTarget, m.AssignTarget()):
            target = assignment.target
            if isinstance(target, cst.Attribute):
                name = target.attr.value
                if self._is_passed_over(target.value, name):
                    return name
        names = map(self._replaced_by, find_all(node, cst.Call, m.Call()))
        return next((name for name in names if name is not None), None)

    def _replaced_by(self, call: cst.Call) -> str | None:
        values = [one.value for one in call.args if one.keyword is None]
        if m.matches(call, _BY_NAME | _PATCH) and len(values) >= 2:
            owner, name = values[:2]
            if isinstance(name, cst.SimpleString):
                text = str(name.evaluated_value)
                return text if self._is_passed_over(owner, text) else None
        by_path = m.matches(call, _BY_NAME | _PATCH_PATH) and values
        if by_path and isinstance(values[0], cst.SimpleString):
            path = _PATH.match(str(values[0].evaluated_value))
            return path[2] if path and _has_halves(path[1]) else None
        return None

    def _is_passed_over(self, owner: cst.BaseExpression, method: str) -> bool:
        if method not in TWO_PHASE_METHODS or not self.imports_monty():
            return False
        if method != STEP or m.matches(owner, m.Call(func=m.Name("type"))):
            return True
        index, file = self.file.index, self.file.path
        dotted = get_full_name_for_node(owner)
        if dotted is None:
            return False
        kind = index.kind_of_expression(file, self.qualified_name, dotted)
        return kind is Kind.EVIDENCE_LM or _has_halves(index.imported(file, dotted))


def _has_halves(imported: str) -> bool:
    """Return whether a class of upstream is, or is above, one that has halves."""
    kind = kind_of_upstream_class(imported)
    is_above = kind is Kind.LM and imported.endswith(".GraphLM")
    return kind is Kind.EVIDENCE_LM or is_above


RULE: Rule = Rule(
    id="patched-method",
    summary=(
        "Methods of learning modules that are replaced from outside (setattr, "
        "patch.object, an assignment) are marked where their halves are called instead."
    ),
    by_hand=(
        "Replace the halves (dispatch_matching_step and process_matching_step, for "
        "instance), or matching_step of one learning module instead of its class."
    ),
    words=rf"({_METHODS})[\"']|\.({_METHODS})\s*(:[^=\n]*)?=[^=]",
    rewrite=lambda module, file: _FindPatches(RULE.id, file).run(module),
)
