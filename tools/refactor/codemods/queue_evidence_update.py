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

import libcst as cst
import libcst.matchers as m

from ..class_codemod import ClassCodemod, find_method, has_method, replace_method
from ..failures import MissingAnchor
from ..phases.naming import halves_of
from ..templates import method_from, without_remarks

__all__ = ["QueueEvidenceUpdate"]

METHOD = "_update_possible_matches"
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


def _on_self(name: str) -> m.Attribute:
    return m.Attribute(value=m.Name("self"), attr=m.Name(name))


_OF_UPDATER = m.With(items=[m.WithItem(item=_on_self("hypotheses_updater"))])
_QUERY = [m.Subscript(value=m.Name("query")), m.Subscript(value=m.Name("query"))]
_THREAD = m.Call(
    func=m.Attribute(attr=m.Name("Thread")),
    args=[
        m.Arg(keyword=m.Name("target"), value=_on_self(UPDATE)),
        m.Arg(
            keyword=m.Name("args"),
            value=m.Tuple([m.Element(value=one) for one in [*_QUERY, m.Name()]]),
        ),
    ],
)
_LIST = m.SimpleStatementLine(
    body=[m.Assign(targets=[m.AssignTarget(m.Name())], value=m.List(elements=[]))]
)
_LOOP = m.For(
    target=m.Name(), iter=m.Call(func=_on_self("get_all_known_object_ids"), args=[])
)
_JOIN = m.If(test=_on_self("use_multithreading"), orelse=None)


class QueueEvidenceUpdate(ClassCodemod):
    """Replaces the loop over the graphs, and its threads, by work for the backend.

    Upstream makes one thread per graph, or updates one graph after the other. The
    first half of the method now dispatches this as one piece of work. What stands
    after the loop goes to the second half, which waits for the result. The `with` of
    the updater becomes the context of the work.

    It does not touch the update of a graph itself, nor the loop that applies votes.
    """

    def already_done(self, definition: cst.ClassDef) -> bool:
        return has_method(definition, halves_of(METHOD).dispatch)

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, METHOD)
        whole = method_from(_WHOLE)
        docstring, *rest = method.body.body
        if len(rest) != 1 or not m.matches(rest[0], _OF_UPDATER):
            raise self._missing("nothing but `with self.hypotheses_updater`")
        block = cst.ensure_type(rest[0], cst.With)
        after = self._after_loop(block)
        process = method_from(_PROCESS)
        (processing,) = m.findall(process, m.With())
        process = process.deep_replace(
            processing, block.with_changes(items=processing.items, body=after)
        )
        whole = method.with_changes(
            params=without_remarks(method.params),
            body=method.body.with_changes(body=[docstring, *whole.body.body]),
        )
        return replace_method(definition, at, [whole, method_from(_DISPATCH), process])

    def _after_loop(self, block: cst.With) -> cst.IndentedBlock:
        made, loop, joined = [*block.body.body, None, None, None][:3]
        for statement, pattern, looked_for in (
            (made, _LIST, "an empty list of threads, first in the `with`"),
            (loop, _LOOP, "a loop over self.get_all_known_object_ids() after it"),
            (joined, _JOIN, "`if self.use_multithreading` after the loop"),
        ):
            if statement is None or not m.matches(statement, pattern):
                raise self._missing(looked_for)
        if not m.findall(loop, _THREAD):
            raise self._missing(
                f"Thread(target=self.{UPDATE}, args=(query[…], query[…], …)) in it"
            )
        threads = m.Name(made.body[0].targets[0].target.value)
        rest = block.body.body[3:]
        if any(m.findall(one, threads) for one in rest):
            raise self._missing("no use of the threads after they are joined")
        if any(m.findall(one, m.Name("query") | m.Name("ctx")) for one in rest):
            raise self._missing("no use of query or ctx after the threads are joined")
        return block.body.with_changes(body=rest)

    def _missing(self, looked_for: str) -> MissingAnchor:
        return MissingAnchor(looked_for, class_name=self.class_name, method=METHOD)
