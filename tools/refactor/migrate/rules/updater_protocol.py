# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses updaters with the methods of earlier releases get the present ones."""

from __future__ import annotations

from typing import Callable, Sequence

import libcst as cst
import libcst.matchers as m

from ...class_codemod import find_method, has_method, insert_methods, replace_method
from ...nodes import (
    find_all,
    parsed,
    replaced,
    replaced_all,
    statements_of,
    with_statements,
)
from ...phases.refusal import Refused
from ...phases.scopes import own_nodes
from ...phases.split_call import find_call
from ..class_rewriter import ClassRewriter, own_methods
from ..kinds import Kind
from ..protocol_method import (
    Renewal,
    arguments_of,
    parameter_names,
    renewed_call,
    renewed_method,
    renewed_override,
)
from ..rule import Rule
from .displacer_protocol import RENEWAL as OF_DISPLACER
from .displacer_protocol import UPDATER_RULE

__all__ = ["CONTEXT", "PER_CHANNEL", "RENEWAL", "RULE"]

RENEWAL = Renewal(
    old="update_hypotheses",
    new="update_evidence",
    parameters=(
        "hypotheses",
        "features",
        "displacement",
        "graph_id",
        "evidence_update_threshold",
    ),
    dropped="displacement",
    hypotheses="hypotheses",
    renamed={},
)
PER_CHANNEL = (
    "hypotheses",
    "features",
    "displacements",
    "graph_id",
    "mapper",
    "evidence_update_threshold",
)
"""The parameters of update_hypotheses while hypotheses still had channels."""

CONTEXT = {"pre_step": "__enter__", "post_step": "__exit__"}
_SUPER = cst.parse_expression("super().update_hypotheses")
_ON_DISPLACER = m.Call(func=m.Attribute(attr=m.Name(OF_DISPLACER.old)))
_DISPLACE = """\
def displace_hypotheses(self, hypotheses, displacement, graph_id):
    if hypotheses.count == 0 or displacement is None:
        return hypotheses
    return {displacer}.displace_hypotheses(displacement, hypotheses)
"""
_EXIT = "def __exit__(self, exc_type, exc_val, exc_tb):\n    pass\n"
_ENTER = "def __enter__(self):\n    return self\n"


class _RenewUpdaters(ClassRewriter):
    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        if kind is not Kind.UPDATER and not _looks_like_updater(updated):
            return updated
        for definition in own_methods(original, [*CONTEXT]):
            updated = self._renew(definition, updated, self._context_method)
        if kind is not Kind.UPDATER:
            updated = _with_both_ends(updated)
        for definition in own_methods(original, [RENEWAL.old]):
            if not has_method(updated, RENEWAL.new):
                updated = self._renew(definition, updated, self._update)
        return updated

    def _renew(
        self,
        original: cst.FunctionDef,
        updated: cst.ClassDef,
        renew: Callable[[cst.FunctionDef, cst.ClassDef], Sequence[cst.FunctionDef]],
    ) -> cst.ClassDef:
        def rewrite(original: cst.FunctionDef, updated: cst.ClassDef) -> cst.ClassDef:
            name = original.name.value
            at, method = find_method(updated, name)
            methods = renew(method, updated)
            names = " and ".join(one.name.value for one in methods)
            self.changed(original, f"{name} became {names}")
            return replace_method(updated, at, methods)

        return self.rewritten_or_marked(original, updated, "renewed", rewrite)

    def _context_method(
        self, method: cst.FunctionDef, definition: cst.ClassDef
    ) -> list[cst.FunctionDef]:
        name = method.name.value
        new = CONTEXT[name]
        if has_method(definition, new):
            raise Refused(f"the class has {new}, too")
        if parameter_names(method):
            raise Refused(f"{name} takes arguments")
        if method.asynchronous is not None or method.decorators:
            raise Refused(f"{name} is async, or decorated")
        returns = own_nodes(method.body, cst.Return, cst.Yield)
        if any(getattr(one, "value", None) is not None for one in returns):
            raise Refused(f"{name} returns a value")
        if returns and name == "pre_step":
            raise Refused(f"{name} returns before its end")
        on_super = cst.parse_expression(f"super().{name}")
        text = "exc_type, exc_val, exc_tb" if new == "__exit__" else ""
        method = replaced_all(
            method,
            m.Call(func=m.MatchIfTrue(on_super.deep_equals)),
            cst.parse_expression(f"super().{new}({text})"),
        )
        if name == "pre_step":
            return [_returning_self(method)]
        params = parsed(_EXIT, cst.FunctionDef).params
        return [method.with_changes(name=cst.Name(new), params=params)]

    def _update(
        self, method: cst.FunctionDef, definition: cst.ClassDef
    ) -> list[cst.FunctionDef]:
        if parameter_names(method) == [*PER_CHANNEL]:
            raise Refused("it updates channel by channel, as before April 2026")
        if method.asynchronous is not None or method.decorators:
            raise Refused("it is async, or decorated")
        found = find_call(method, _SUPER)
        on_displacer = find_all(method.body, cst.Call, _ON_DISPLACER)
        if found.call is not None and not on_displacer:
            return [renewed_override(method, RENEWAL, found)]
        if found.call is None and len(on_displacer) == 1:
            return self._update_with_displacer(method, definition, on_displacer[0])
        raise Refused("it displaces hypotheses itself")

    def _update_with_displacer(
        self, method: cst.FunctionDef, definition: cst.ClassDef, call: cst.Call
    ) -> list[cst.FunctionDef]:
        given = arguments_of(call, OF_DISPLACER)
        expected = {"displacement": "displacement", "possible_hypotheses": "hypotheses"}
        for name, variable in expected.items():
            if not m.matches(given[name].value, m.Name(variable)):
                raise Refused(f"it gives the displacer another {name} than it is given")
        receiver = cst.ensure_type(call.func, cst.Attribute).value
        displacer = self.module.code_for_node(receiver)
        if not m.matches(receiver, m.Attribute(value=m.Name("self"))):
            raise Refused("its displacer is not an attribute of its own")
        renewed = renewed_method(method, RENEWAL, [call])
        call_now = find_all(renewed.body, cst.Call, _ON_DISPLACER)[0]
        renewed = replaced(
            renewed, call_now, renewed_call(call_now, OF_DISPLACER, displacer)
        )
        if has_method(definition, "displace_hypotheses"):
            return [renewed]
        text = _DISPLACE.format(displacer=displacer)
        return [parsed(text, cst.FunctionDef), renewed]


def _looks_like_updater(definition: cst.ClassDef) -> bool:
    """Return whether a class has an updater's method with an updater's parameters."""
    present = [one for one in RENEWAL.parameters if one != RENEWAL.dropped]
    known = ([*RENEWAL.parameters], [*PER_CHANNEL], present)
    updates = own_methods(definition, [RENEWAL.old, RENEWAL.new])
    return any(parameter_names(method) in known for method in updates)


def _with_both_ends(definition: cst.ClassDef) -> cst.ClassDef:
    """Add the `__enter__` or `__exit__` that a class without a base lacks."""
    for there, missing, text in (
        ("__enter__", "__exit__", _EXIT),
        ("__exit__", "__enter__", _ENTER),
    ):
        if has_method(definition, there) and not has_method(definition, missing):
            at, _ = find_method(definition, there)
            method = parsed(text, cst.FunctionDef)
            definition = insert_methods(definition, at + 1, [method])
    return definition


def _returning_self(method: cst.FunctionDef) -> cst.FunctionDef:
    instance = [*method.params.posonly_params, *method.params.params][0].name.value
    returning = cst.parse_statement(f"return {instance}")
    if not isinstance(method.body, cst.IndentedBlock):
        raise Refused("it stands on one line")
    nothing = m.SimpleStatementLine(body=[m.Expr(m.Ellipsis()) | m.Pass()])
    body = [one for one in statements_of(method.body) if not m.matches(one, nothing)]
    return with_statements(method, [*body, returning]).with_changes(
        name=cst.Name("__enter__"), returns=None
    )


RULE: Rule = Rule(
    id=UPDATER_RULE,
    summary=(
        "pre_step and post_step of a hypotheses updater become __enter__ and __exit__, "
        "update_hypotheses becomes displace_hypotheses and update_evidence."
    ),
    by_hand=(
        "Give the updater __enter__, __exit__, reset, displace_hypotheses(hypotheses, "
        "displacement, graph_id) and update_evidence(hypotheses, features, graph_id, "
        "evidence_update_threshold); the latter is given hypotheses that are displaced."
    ),
    words=r"\b(pre_step|post_step|update_hypotheses)\b",
    rewrite=lambda module, file: _RenewUpdaters(RULE.id, file).run(module),
)
