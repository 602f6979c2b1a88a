# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides of steps from releases in which a step had no context."""

from __future__ import annotations

import libcst as cst

from ...class_codemod import with_statement
from ..class_rewriter import ClassRewriter, own_methods
from ..kinds import Kind
from ..rule import Rule
from ..step_signatures import ARGUMENTS, can_be_called

__all__ = ["RULE"]

_STEPPED = (Kind.EVIDENCE_LM, Kind.LM, Kind.MONTY)


class _FindSignatures(ClassRewriter):
    """Marks the methods; it changes nothing."""

    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        if kind not in _STEPPED:
            return updated
        for method, one in zip(
            own_methods(original, ARGUMENTS),
            own_methods(updated, ARGUMENTS),
            strict=True,
        ):
            marked = self.unmark(one)
            if not can_be_called(method):
                given = ", ".join(ARGUMENTS[method.name.value])
                what = f"Monty calls it with ({given}), which it does not take"
                marked = self.mark(method, one, what)
            updated = with_statement(updated, updated.body.body.index(one), marked)
        return updated


RULE: Rule = Rule(
    id="step-signature",
    summary=(
        "Overrides of steps that do not take the runtime context, ctx, are marked, and "
        "no other rule changes them."
    ),
    by_hand=(
        "Monty would raise a TypeError. Add ctx as the first parameter, pass it on to "
        "super(), and take random numbers from ctx.rng. Then run migrate again."
    ),
    words=rf"def\s+({'|'.join(ARGUMENTS)})\b",
    rewrite=lambda module, file: _FindSignatures(RULE.id, file).run(module),
)
