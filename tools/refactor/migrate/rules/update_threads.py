# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides that start a thread a graph hand the updates to the backend instead."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext

from ...class_codemod import find_method, has_method, replace_method
from ...codemods.queue_evidence_update import QueueEvidenceUpdate
from ...failures import MissingAnchor
from ...imports import NeededImport
from ...phases.naming import pending_type_name
from ...phases.split import SplitOptions, split_method
from ..class_rewriter import ClassRewriter, Refused, future_annotations, own_methods
from ..kinds import Kind
from ..rule import PythonFile, Rule

__all__ = ["RULE"]

METHOD = "_update_possible_matches"
DISPATCH = "_dispatch_update_possible_matches"

_UPDATE = m.Attribute(value=m.Name("self"), attr=m.Name("_update_evidence"))
_IN_THREADS = m.Arg(keyword=m.Name("target"), value=_UPDATE)
_OPTIONS = SplitOptions(
    call="self.backend.run",
    dispatch="self.backend.dispatch",
    process="self.backend.result",
    ticket="ticket",
    ticket_type="Ticket",
)
_RECORD_IMPORTS = (
    NeededImport("contextlib", "ExitStack"),
    NeededImport("dataclasses", "dataclass"),
    NeededImport("typing", "Any"),
)
_MONTY_IMPORTS = (
    NeededImport(
        "tbp.monty.frameworks.models.evidence_matching.evidence_work", "evidence_work"
    ),
    NeededImport("tbp.monty.backends", "Ticket"),
)


class _QueueUpdates(ClassRewriter):
    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        if kind is not Kind.LM or has_method(updated, DISPATCH):
            return updated
        for definition in [*own_methods(original, [METHOD])]:
            if not m.findall(definition, _IN_THREADS):
                continue
            at, method = find_method(updated, METHOD)
            try:
                return self._queued(definition, updated, at)
            except (Refused, MissingAnchor) as refused:
                reason = getattr(refused, "looked_for", None)
                what = f"expected {reason}" if reason else str(refused)
                body = [*updated.body.body]
                body[at] = self.mark(definition, method, f"not queued: {what}")
                return updated.with_deep_changes(updated.body, body=body)
        return updated

    def _queued(
        self, original: cst.FunctionDef, updated: cst.ClassDef, at: int
    ) -> cst.ClassDef:
        if not future_annotations(self.module):
            raise Refused("the module has no `from __future__ import annotations`")
        body = [*updated.body.body]
        body[at] = self.unmark(body[at])
        queue = QueueEvidenceUpdate(CodemodContext(), updated.name.value)
        queued = queue.transform_class(
            updated.with_deep_changes(updated.body, body=body)
        )
        _, method = find_method(queued, METHOD)
        names = self.file.index.names(self.file.path)
        type_name = pending_type_name(
            METHOD, updated.name.value, {*names.imports, *names.bases}
        )
        split = split_method(method, type_name, _OPTIONS, Refused)
        _, *halves = split.methods
        used = cst.Module(split.records).code
        self.records += split.records
        self.imports += _MONTY_IMPORTS
        self.stdlib_imports += [one for one in _RECORD_IMPORTS if one.name in used]
        self.changed(original, f"{METHOD} queues its updates, in halves")
        return replace_method(queued, at, halves)


def _rewrite(module: cst.Module, file: PythonFile) -> cst.Module:
    return _QueueUpdates(RULE.id, file).run(module)


RULE = Rule(
    id="update-threads",
    summary=(
        "A loop that updates each graph in a thread of its own becomes one piece of "
        "work for the backend."
    ),
    by_hand=(
        "The override works and uses no backend. Hand `evidence_work(self, query[0], "
        "query[1])` to self.backend.dispatch in a dispatch half, and take the result "
        "in the process half."
    ),
    words=r"target\s*=\s*self\._update_evidence",
    rewrite=_rewrite,
)
