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

__all__ = ["QueueEvidenceUpdate"]

METHOD = "_update_possible_matches"
UPDATE = "_update_evidence"
RUN = "self.backend.run(evidence_work(self, query[0], query[1]))"


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
    """Replaces the loop over the graphs, and its threads, by a call of the backend.

    Upstream makes a thread a graph, or updates one graph after the other. These
    statements, at the start of the `with` of the updater, become a piece of work that
    the backend runs. What stands after them in the `with` stays.

    It does not touch the update of a graph itself, nor the loop that applies votes.
    """

    def already_done(self, definition: cst.ClassDef) -> bool:
        if has_method(definition, halves_of(METHOD).dispatch):
            return True
        _, method = find_method(definition, METHOD)
        return bool(m.findall(method, m.Name("evidence_work")))

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, METHOD)
        blocks = [one for one in method.body.body if m.matches(one, _OF_UPDATER)]
        if len(blocks) != 1:
            raise self._missing("one `with self.hypotheses_updater`")
        (block,) = blocks
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
        queued = block.with_deep_changes(
            block.body, body=[cst.parse_statement(RUN), *rest]
        )
        method = method.deep_replace(block, queued)
        return replace_method(definition, at, [method])

    def _missing(self, looked_for: str) -> MissingAnchor:
        return MissingAnchor(looked_for, class_name=self.class_name, method=METHOD)
