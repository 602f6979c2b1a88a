# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides that set the targets of learning modules are called before any step."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from ...class_codemod import find_method, with_statement
from ...nodes import on_self
from ..class_rewriter import ClassRewriter, own_methods
from ..kinds import Kind
from ..rule import Rule

__all__ = ["RULE"]

METHOD = "_set_stepwise_targets"

_OTHER_LMS = on_self("learning_modules")


class _FindTargets(ClassRewriter):
    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        if kind is not Kind.MONTY:
            return updated
        for definition in own_methods(original, [METHOD]):
            at, method = find_method(updated, METHOD)
            if not m.findall(method, _OTHER_LMS):
                continue
            what = (
                "it looks at other learning modules, and is now called before any of "
                "them has been stepped"
            )
            marked = self.mark(definition, method, what)
            updated = with_statement(updated, at, marked)
        return updated


RULE: Rule = Rule(
    id="stepwise-targets",
    summary=(
        "Overrides of _set_stepwise_targets are kept; one that looks at other learning "
        "modules is marked."
    ),
    by_hand=(
        "The targets of all learning modules are set before any of them is stepped. If "
        "the override needs what another learning module did on this step, do it in "
        "_note_processed_inputs."
    ),
    words=rf"def\s+{METHOD}\b",
    rewrite=lambda module, file: _FindTargets(RULE.id, file).run(module),
)
