# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides that start one thread per graph hand the updates to the backend."""

from __future__ import annotations

from typing import Sequence

import libcst as cst
import libcst.matchers as m

from ...class_codemod import find_method, has_method, replace_method
from ...codemods.queue_evidence_update import QueueEvidenceUpdate
from ...imports import NeededImport
from ...nodes import (
    Statement,
    on_self,
    replaced_all,
    statements_of,
    with_statements,
)
from ...phases.method_checks import check_method
from ...phases.names import names_of
from ...phases.naming import halves_of
from ...phases.parameters import all_parameters
from ...phases.refusal import Refused
from ...phases.scopes import own_nodes
from ..class_rewriter import ClassRewriter, own_methods
from ..kinds import Kind
from ..ownership.check import check_split_override
from ..rule import Rule

__all__ = ["RULE"]

METHOD = "_update_possible_matches"

_MODELS = "tbp.monty.frameworks.models.evidence_matching"
_IMPORTS = (
    NeededImport("tbp.monty.backends", "EvidenceWork"),
    NeededImport(f"{_MODELS}.resident_work", "resident_work"),
)


def _lines(*statements: m.Expr | m.Assign) -> m.IndentedBlock:
    return m.IndentedBlock(
        body=[m.SimpleStatementLine(body=[one]) for one in statements]
    )


def _for_each_thread(method: str) -> m.For:
    call = m.Call(func=m.Attribute(m.Name(), m.Name(method)), args=[])
    return m.For(target=m.Name(), iter=m.Name(), body=_lines(m.Expr(call)), orelse=None)


def _of_query(index: str) -> m.BaseExpressionMatchType:
    return m.Subscript(
        value=m.Name("query"),
        slice=[m.SubscriptElement(m.Index(m.Integer(index)))],
    )


_UPDATE = on_self("_update_evidence")
_IN_THREADS = m.Arg(keyword=m.Name("target"), value=_UPDATE)
_PASSED = [_of_query("0"), _of_query("1"), m.Name()]
_ARGUMENTS = m.Arg(
    keyword=m.Name("args"), value=m.Tuple([m.Element(one) for one in _PASSED])
)
_THREAD = m.Assign(
    targets=[m.AssignTarget(m.Name())], value=m.Call(args=[_IN_THREADS, _ARGUMENTS])
)
_KEPT = m.Expr(m.Call(func=m.Attribute(m.Name(), m.Name("append")), args=[m.Arg()]))
_CALLED = m.Expr(
    m.Call(func=_UPDATE, args=[m.Arg(one, keyword=None) for one in _PASSED])
)
_EITHER = m.If(
    test=on_self("use_multithreading"),
    body=_lines(_THREAD, _KEPT),
    orelse=m.Else(_lines(_CALLED)),
)
_MAKES_THREADS = m.For(body=m.IndentedBlock(body=[_EITHER]), orelse=None)
_RUNS_THREADS = m.If(
    body=m.IndentedBlock(body=[_for_each_thread("start"), _for_each_thread("join")])
)


class _QueueUpdates(ClassRewriter):
    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        halves = halves_of(METHOD)
        if kind is not Kind.EVIDENCE_LM or has_method(updated, halves.dispatch):
            return updated
        for definition in own_methods(original, [METHOD]):
            if m.findall(definition, _IN_THREADS):
                return self.rewritten_or_marked(
                    definition, updated, "queued", self._queued
                )
        return updated

    def _queued(self, original: cst.FunctionDef, updated: cst.ClassDef) -> cst.ClassDef:
        if self.annotations_are_evaluated():
            raise Refused("the module has no `from __future__ import annotations`")
        at, method = find_method(updated, METHOD)
        halves = _halves(method, updated)
        code = _without_loop(method)
        check_split_override(self.file.index, self.project_class, METHOD, code)
        self.check_may_have_halves(METHOD)
        self.imports += _IMPORTS
        self.changed(original, f"{METHOD} queues its updates, in halves")
        return replace_method(updated, at, halves)


def _halves(
    method: cst.FunctionDef, definition: cst.ClassDef
) -> tuple[cst.FunctionDef, cst.FunctionDef]:
    """Make the halves of a method that ends with a loop of threads."""
    check_method(method)
    names = [one.name.value for one in all_parameters(method.params)]
    if names != ["self", "ctx", "query"]:
        raise Refused("its parameters are not those of Monty's")
    *before, with_loop = statements_of(method.body)
    documented = [before.pop(0)] if method.get_docstring() is not None else []
    if own_nodes(cst.IndentedBlock(before), cst.Return):
        raise Refused("it may return without updating")
    # The codemod of the series expects a docstring, and nothing before the loop.
    only_loop = with_statements(
        method, [cst.parse_statement('"""Update."""'), with_loop]
    )
    alone = with_statements(definition, [only_loop])
    queue = QueueEvidenceUpdate(class_name=definition.name.value)
    queued, halves = queue.transform_class(alone), halves_of(METHOD)
    _, dispatch = find_method(queued, halves.dispatch)
    _, process = find_method(queued, halves.process)
    _check_loop(before, cst.ensure_type(with_loop, cst.With))
    dispatch = replaced_all(
        dispatch, m.Name("evidence_work"), cst.Name("resident_work")
    )
    described, *dispatching = statements_of(dispatch.body)
    dispatch = dispatch.with_changes(
        params=method.params,
        whitespace_before_params=method.whitespace_before_params,
        decorators=method.decorators,
    )
    body = [*(documented or [described]), *before, *dispatching]
    return with_statements(dispatch, body), process


def _without_loop(method: cst.FunctionDef) -> str:
    """Return the code of a method, with a call of `super()` instead of its loop."""
    *before, with_loop = statements_of(method.body)
    _, _, _, *after = statements_of(cst.ensure_type(with_loop, cst.With).body)
    call = cst.parse_statement(f"super().{METHOD}(ctx, query)")
    return cst.Module([]).code_for_node(
        with_statements(method, [*before, call, *after])
    )


def _check_loop(before: Sequence[Statement], with_loop: cst.With) -> None:
    """Refuse a loop that does more than the backend does."""
    _, loop, running, *after = statements_of(with_loop.body)
    if not (m.matches(loop, _MAKES_THREADS) and m.matches(running, _RUNS_THREADS)):
        raise Refused("the loop does more than update each graph")
    made = names_of(*before, loop, running).made_local
    for name in sorted(made & names_of(*after).used):
        raise Refused(f"{name} is used after the loop")


RULE: Rule = Rule(
    id="update-threads",
    summary=(
        "A loop that updates each graph in a thread of its own becomes one piece of "
        "work for the backend."
    ),
    by_hand=(
        "The override works and uses no backend. Return what self.backend.dispatch "
        "returns for `resident_work(self, *query)` from a dispatch half. Take the "
        "result in the process half, with `with self.backend.result(work):`."
    ),
    words=r"target\s*=\s*self\._update_evidence",
    rewrite=lambda module, file: _QueueUpdates(RULE.id, file).run(module),
)
