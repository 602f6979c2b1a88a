# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes the loop over an LM's graphs one piece of work for its backend."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod, find_method, has_method
from ..nodes import (
    find_all,
    has_statements,
    method_from,
    on_self,
    replaced,
    replaced_all,
    statements_of,
    with_statements,
)

__all__ = ["QueueEvidenceUpdate"]

UPDATE = "_update_evidence"

_WHOLE = """\
def whole():
    work = self._dispatch_update_possible_matches(ctx, query)
    self._process_update_possible_matches(work)
"""

_DISPATCH = '''\
def _dispatch_update_possible_matches(
    self,
    ctx: RuntimeContext,  # noqa: ARG002
    query,
) -> EvidenceWork:
    """Return the evidence update of all graphs, dispatched to the backend."""
    features, displacement = query
    return self.backend.dispatch(evidence_work(self, features, displacement))
'''

_PROCESS = '''\
def _process_update_possible_matches(self, work: EvidenceWork) -> None:
    """Process the results of the evidence update."""
    with self.backend.result(work):
        pass
'''

_UNUSED = m.TrailingWhitespace(comment=m.Comment("# noqa: ARG002"))
_OF_UPDATER = m.With(items=[m.WithItem(item=on_self("hypotheses_updater"))])
_QUERY = [m.Element(m.Subscript(value=m.Name("query")))] * 2
_THREAD = m.Call(
    func=m.Attribute(attr=m.Name("Thread")),
    args=[
        m.Arg(keyword=m.Name("target"), value=on_self(UPDATE)),
        m.Arg(
            keyword=m.Name("args"),
            value=m.Tuple([*_QUERY, m.Element(m.Name())]),
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


@dataclass(frozen=True, kw_only=True)
class QueueEvidenceUpdate(MethodCodemod):
    """Replaces the loop over the graphs, and its threads, by work for the backend.

    Upstream makes one thread per graph, or updates one graph after the other. The
    first half of the method now dispatches this as one piece of work. The statements
    after the loop go to the second half, which waits for the result. The `with` of
    the updater becomes the context of the work.

    It does not touch the update of a graph itself, nor the loop that applies votes.
    """

    method: str = "_update_possible_matches"

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, self.method)
        done = statements_of(method_from(_WHOLE).body)
        return has_method(
            definition, "_dispatch_update_possible_matches"
        ) and has_statements(method, cst.Module(done).code)

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        whole = method_from(_WHOLE)
        docstring, *rest = statements_of(method.body)
        if len(rest) != 1 or not m.matches(rest[0], _OF_UPDATER):
            raise self.missing("nothing but `with self.hypotheses_updater`")
        block = cst.ensure_type(rest[0], cst.With)
        after = self._after_loop(block)
        process = method_from(_PROCESS)
        (processing,) = find_all(process, cst.With, m.With())
        process = replaced(
            process, processing, after.with_changes(items=processing.items)
        )
        whole = with_statements(method, [docstring, *statements_of(whole.body)])
        # The parameters are now passed on, so the remarks that one is unused go.
        params = replaced_all(method.params, _UNUSED, cst.TrailingWhitespace())
        whole = whole.with_changes(params=params)
        return [whole, method_from(_DISPATCH), process]

    def _after_loop(self, block: cst.With) -> cst.With:
        """Return the block with the statements after the loop and its threads."""
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
        return with_statements(block, rest)
