# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Has the hypotheses updater update all graphs, in two halves."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..class_codemod import (
    MethodCodemod,
    find_method,
    has_method,
    replace_method,
)
from ..nodes import (
    Statement,
    find_all,
    has_statements,
    method_from,
    on_self,
    replaced_all,
    statements_of,
    with_statements,
)

__all__ = ["UpdateInTwoHalves"]

UPDATE = "_update_evidence"

_WHOLE = """\
def whole():
    pending = self._dispatch_update_possible_matches(ctx, query)
    self._process_update_possible_matches(pending)
"""

_DISPATCH = '''\
def _dispatch_update_possible_matches(
    self,
    ctx: RuntimeContext,  # noqa: ARG002
    query,
) -> Any:
    """Return the evidence update of all graphs, dispatched."""
    features, displacement = query
    evidence_query = self._evidence_query(features, displacement)
    return dispatch_update(self.hypotheses_updater, evidence_query)
'''

_PROCESS = '''\
def _process_update_possible_matches(self, pending: Any) -> None:
    """Keep the results of the evidence update."""
    outcome = process_update(self.hypotheses_updater, pending)
    self._hypotheses.update(outcome.hypotheses)
    self.hypotheses_updater_telemetry.update(outcome.telemetry)
'''

_QUERY = '''\
def _evidence_query(
    self, features: dict, displacement: npt.NDArray[np.float64] | None
) -> EvidenceQuery:
    """Return what the hypotheses updater needs to update all graphs."""
    return EvidenceQuery(
        lm_id=self.learning_module_id,
        graph_ids=self.get_all_known_object_ids(),
        hypotheses=self._hypotheses,
        features=features,
        displacement=displacement,
        threshold=EvidenceThreshold(
            rule=evidence_update_threshold,
            config=self.evidence_threshold_config,
            x_percent=self.x_percent_threshold,
            highest=self.current_mlh["evidence"],
        ),
        in_threads=self.use_multithreading,
    )
'''

_UNUSED = m.TrailingWhitespace(comment=m.Comment("# noqa: ARG002"))
_OF_UPDATER = m.With(items=[m.WithItem(item=on_self("hypotheses_updater"))])
_QUERY_PARTS = [m.Element(m.Subscript(value=m.Name("query")))] * 2
_THREAD = m.Call(
    func=m.Attribute(attr=m.Name("Thread")),
    args=[
        m.Arg(keyword=m.Name("target"), value=on_self(UPDATE)),
        m.Arg(
            keyword=m.Name("args"),
            value=m.Tuple([*_QUERY_PARTS, m.Element(m.Name())]),
        ),
    ],
)
_LIST = m.SimpleStatementLine(
    body=[m.Assign(targets=[m.AssignTarget(m.Name())], value=m.List(elements=[]))]
)
_LOOP = m.For(
    target=m.Name(), iter=m.Call(func=on_self("get_all_known_object_ids"), args=[])
)
_JOIN = m.If(test=on_self("use_multithreading"), orelse=None)
_UPDATES_A_GRAPH = {
    **{
        f"self.{kept}[graph_id] = ...": m.AssignTarget(m.Subscript(on_self(kept)))
        for kept in ("_hypotheses", "hypotheses_updater_telemetry")
    },
    **{
        f"self.hypotheses_updater.{called}(...)": m.Call(
            m.Attribute(on_self("hypotheses_updater"), m.Name(called))
        )
        for called in ("displace_hypotheses", "update_evidence")
    },
}


@dataclass(frozen=True, kw_only=True)
class UpdateInTwoHalves(MethodCodemod):
    """Replaces the loop over the graphs, and the update of each, by two calls.

    Upstream makes one thread per graph, or updates one graph after the other. The
    first half of the method now hands all graphs to the hypotheses updater, which
    enters its own context. The second half keeps what the updater returns, and has the
    statements after the loop.

    The method that updates one graph goes: the updater has a function for that. The
    codemod checks that it calls the updater, and keeps hypotheses and telemetry. It
    does not compare its other statements.
    """

    method: str = "_update_possible_matches"

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, self.method)
        done = statements_of(method_from(_WHOLE).body)
        return has_method(
            definition, "_dispatch_update_possible_matches"
        ) and has_statements(method, cst.Module(done).code)

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, update = find_method(definition, UPDATE)
        for looked_for, pattern in _UPDATES_A_GRAPH.items():
            if not m.findall(update, pattern):
                raise self.missing(f"{looked_for} in {UPDATE}")
        body = statements_of(definition.body)
        del body[at]
        definition = with_statements(definition, body)
        at, method = find_method(definition, self.method)
        return replace_method(definition, at, self.transform_method(method))

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        whole = method_from(_WHOLE)
        docstring, *rest = statements_of(method.body)
        if len(rest) != 1 or not m.matches(rest[0], _OF_UPDATER):
            raise self.missing("nothing but `with self.hypotheses_updater`")
        after = self._after_loop(cst.ensure_type(rest[0], cst.With))
        process = method_from(_PROCESS)
        process = with_statements(process, [*statements_of(process.body), *after])
        whole = with_statements(method, [docstring, *statements_of(whole.body)])
        # The parameters are now passed on, so the remarks that one is unused go.
        params = replaced_all(method.params, _UNUSED, cst.TrailingWhitespace())
        whole = whole.with_changes(params=params)
        return [whole, method_from(_DISPATCH), process, method_from(_QUERY)]

    def _after_loop(self, block: cst.With) -> list[Statement]:
        """Return the statements after the loop and its threads."""
        statements = statements_of(block.body)
        expected: list[tuple[m.BaseMatcherNode, str]] = [
            (_LIST, "an empty list of threads, first in the `with`"),
            (_LOOP, "a loop over self.get_all_known_object_ids() after it"),
            (_JOIN, "`if self.use_multithreading` after the loop"),
        ]
        for at, (pattern, looked_for) in enumerate(expected):
            if at >= len(statements) or not m.matches(statements[at], pattern):
                raise self.missing(looked_for)
        made, loop, _, *rest = statements
        if not m.findall(loop, _THREAD):
            raise self.missing(
                f"Thread(target=self.{UPDATE}, args=(query[…], query[…], …)) in it"
            )
        (threads,) = find_all(made, cst.Name, m.Name())
        if any(m.findall(one, m.Name(threads.value)) for one in rest):
            raise self.missing("no use of the threads after they are joined")
        if any(m.findall(one, m.Name("query") | m.Name("ctx")) for one in rest):
            raise self.missing("no use of query or ctx after the threads are joined")
        return rest
