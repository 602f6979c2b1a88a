# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides of the loop over learning modules become the methods it was split into."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from ...class_codemod import find_method, has_method, with_statement
from ...codemods.split_step_learning_modules import SplitStepLearningModules
from ...codemods.step_in_two_phases import StepInTwoPhases
from ...imports import NeededImport
from ...nodes import replaced_all
from ...phases.refusal import Refused
from ...phases.split_call import find_call
from ..class_rewriter import ClassRewriter, own_methods
from ..kinds import Kind
from ..rule import Rule

__all__ = ["RULE"]

METHOD = "_step_learning_modules"

_MODELS = "tbp.monty.frameworks.models"
_STEPS = NeededImport(f"{_MODELS}.honoured_overrides", "HonouringLMSteps")
"""The steps of the fork: a learning module may have an override of the whole step."""
_IMPORTS = (
    NeededImport("typing", "Sequence"),
    NeededImport("tbp.monty.backends", "LMGroup"),
    NeededImport("tbp.monty.context", "RuntimeContext"),
    _STEPS,
    NeededImport(f"{_MODELS}.lm_groups", "LMInputs"),
)
_LOGGING = m.Expr(
    m.Call(func=m.Attribute(m.Name("logger") | m.Name("logging"), m.Name()))
)
_DISPATCHING = m.Expr(m.Call(func=m.Attribute(m.Name("steps"), m.Name("dispatch"))))
_DOES_MORE = (
    m.Call()
    | m.AssignTarget(target=m.DoesNotMatch(m.Name()))
    | m.AugAssign()
    | m.Del()
    | m.With()
    | m.Try()
    | m.Break()
    | m.Return()
    | m.Raise()
)


class _SplitLoops(ClassRewriter):
    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        if kind is not Kind.MONTY or has_method(updated, "step_learning_modules"):
            return updated
        for definition in own_methods(original, [METHOD]):
            call = cst.parse_expression(f"super().{METHOD}")
            if find_call(definition, call).call is not None:
                return updated  # super() still does the work of the base class
            return self.rewritten_or_marked(definition, updated, "split", self._split)
        return updated

    def _split(self, original: cst.FunctionDef, updated: cst.ClassDef) -> cst.ClassDef:
        if self.annotations_are_evaluated():
            raise Refused("the module has no `from __future__ import annotations`")
        name = updated.name.value
        split = SplitStepLearningModules(
            class_name=name, overrides_base=True, experiment_after=None
        )
        phased = StepInTwoPhases(class_name=name)
        result = phased.transform_class(split.transform_class(updated))
        at, stepping = find_method(result, "step_learning_modules")
        _check_loop(stepping)
        stepping = replaced_all(stepping, m.Name("LMSteps"), cst.Name(_STEPS.name))
        result = with_statement(result, at, stepping)
        self.imports += _IMPORTS
        self.changed(
            original,
            f"{METHOD} became update_stepwise_targets, step_learning_modules and "
            "_note_processed_inputs",
        )
        return result


def _check_loop(stepping: cst.FunctionDef) -> None:
    """Refuse a loop that does more than step learning modules.

    Steps are dispatched group by group, and processed after the loop: the rest of the
    loop would run in another order, and before the results are available.
    """
    (loop,) = [one for one in stepping.body.body if isinstance(one, cst.For)]
    known = m.SimpleStatementLine(body=[_DISPATCHING | _LOGGING])
    others = replaced_all(loop.body, known, cst.parse_statement("pass"))
    if m.findall(others, _DOES_MORE):
        raise Refused("the loop does more than step learning modules")


RULE: Rule = Rule(
    id="step-learning-modules",
    summary=(
        "An override of _step_learning_modules with a loop of its own becomes "
        "update_stepwise_targets, step_learning_modules and _note_processed_inputs."
    ),
    by_hand=(
        "The override works, and steps one learning module after the other. Instead, "
        "override update_stepwise_targets, step_learning_modules and "
        "_note_processed_inputs."
    ),
    words=rf"def\s+{METHOD}\b",
    rewrite=lambda module, file: _SplitLoops(RULE.id, file).run(module),
)
