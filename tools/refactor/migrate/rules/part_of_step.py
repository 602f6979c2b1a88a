# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides within a learning module's step that may notice when others are stepped."""

from __future__ import annotations

import libcst as cst

from ...class_codemod import with_statement
from ...phases.refusal import Refused
from ..class_rewriter import ClassRewriter, own_methods
from ..kinds import Kind
from ..marks import marking_rules
from ..ownership.check import check_part_of_step
from ..ownership.known_code import MONTYS_STEP, TWO_PHASE_METHODS
from ..rule import Rule
from . import split_override

__all__ = ["RULE"]

_PARTS = MONTYS_STEP.difference(TWO_PHASE_METHODS, ["_update_evidence"])
"""The others have rules of their own."""


class _FindParts(ClassRewriter):
    """Marks the methods; it changes nothing."""

    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        if kind is not Kind.EVIDENCE_LM or self._steps_whole(updated):
            return updated
        for method, one in zip(
            own_methods(original, _PARTS), own_methods(updated, _PARTS), strict=True
        ):
            marked = self.unmark(one)
            try:
                name = method.name.value
                check_part_of_step(self.file.index, self.project_class, name)
            except Refused as refused:
                marked = self.mark(method, one, f"part of the step: {refused}")
            updated = with_statement(updated, updated.body.body.index(one), marked)
        return updated

    def _steps_whole(self, definition: cst.ClassDef) -> bool:
        """Return whether the step was not split, so that its parts run in turn."""
        steps = own_methods(definition, ["matching_step"])
        return any(split_override.RULE.id in marking_rules(step) for step in steps)


RULE: Rule = Rule(
    id="part-of-step",
    summary=(
        "Overrides of methods that the step of an evidence learning module calls are "
        "marked if they may touch more than their learning module."
    ),
    by_hand=(
        "All learning modules dispatch their steps before the first one is processed. "
        "So the method runs earlier or later than before, seen from other learning "
        "modules. If they can see what it does, or it what they do, override "
        "matching_step with nothing but a call of super(): the step then runs whole, "
        "while steps are processed. Otherwise nothing has to be done."
    ),
    words=rf"def\s+({'|'.join(sorted(_PARTS))})\b",
    rewrite=lambda module, file: _FindParts(RULE.id, file).run(module),
)
