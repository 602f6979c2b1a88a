# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Splits `_step_learning_modules` into an experiment and a runtime method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import libcst as cst
import libcst.matchers as m

from ..class_codemod import (
    MethodCodemod,
    find_method,
    has_method,
    insert_methods,
    replace_method,
)
from ..concerns import Concerns
from ..failures import CannotDivide
from ..names import names_of
from ..nodes import (
    DOCSTRING,
    find_all,
    has_statements,
    on_self,
    parsed,
    statements_of,
    with_statements,
)

__all__ = ["SplitStepLearningModules"]

COLLECT = "_collect_inputs_to_lm"
TARGETS = "_set_stepwise_targets"
TARGETS_LOG = "stepwise_targets_list"
PROCESSED = "add_lm_processing_to_buffer_stats"

COMPOSITION = """\
def _step_learning_modules(self, ctx: RuntimeContext):
    inputs = [
        self._collect_inputs_to_lm(i) for i in range(len(self.learning_modules))
    ]
    self.update_stepwise_targets(inputs)
    self.step_learning_modules(ctx, self.lm_groups, inputs)
    self._note_processed_inputs(inputs)
"""

EXPERIMENT = """\
def update_stepwise_targets(self, inputs: LMInputs) -> None:
    pass
"""

RUNTIME = """\
def step_learning_modules(
    self, ctx: RuntimeContext, groups: Sequence[LMGroup], inputs: LMInputs
) -> None:
    pass
"""

_IN_ORDER = "sorted(i for group in groups for i in group)"

BOOKKEEPING = """\
def _note_processed_inputs(self, inputs: LMInputs) -> None:
    pass
"""


@dataclass(frozen=True, kw_only=True)
class SplitStepLearningModules(MethodCodemod):
    """Divides the loop over learning modules into one loop per concern.

    Upstream's loop collects the inputs of a learning module, sets its target, steps
    it and notes that it was stepped, then continues with the next. Each statement of
    the loop moves to the method of its concern: stepwise targets to
    `update_stepwise_targets`, notes of processing to `_note_processed_inputs`, and
    everything else to `step_learning_modules`. A branch is repeated for each concern
    that has statements in it.

    It does not reorder statements within a concern. It does not check that the concerns
    are independent between learning modules. In Monty they are: a step reads messages
    collected before it and writes only to its own learning module.

    Attributes:
        overrides_base: Whether the class inherits the composition of the three methods
            and overrides each, instead of composing them itself.
        experiment_after: The method after which the experiment's method stands; None to
            put it first of the new methods, in a class that need not have every
            concern.
    """

    method: str = "_step_learning_modules"
    overrides_base: bool
    experiment_after: str | None

    def already_done(self, definition: cst.ClassDef) -> bool:
        if self.overrides_base:
            done = not has_method(definition, self.method)
        else:
            _, method = find_method(definition, self.method)
            # Later steps add to the composition.
            done = has_statements(method, "self._note_processed_inputs(inputs)")
        return done and has_method(definition, "step_learning_modules")

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, self.method)
        loop = self._loop(method)
        if self.experiment_after is not None:
            find_method(definition, TARGETS if self.overrides_base else COLLECT)
        self._check_statements(loop)
        experiment = _method(EXPERIMENT, _loop_of("experiment", loop))
        runtime = _method(RUNTIME, _loop_of("runtime", loop))
        bookkeeping = _method(BOOKKEEPING, _loop_of("bookkeeping", loop))
        _check_variables(loop, [experiment, runtime, bookkeeping])
        if self.experiment_after is None:
            return replace_method(definition, at, [experiment, runtime, bookkeeping])
        if self.overrides_base:
            # The runtime method is public, so it goes above the heading of the loop.
            definition = replace_method(definition, at, [bookkeeping])
            definition = insert_methods(definition, at, [runtime])
            public = [experiment]
        else:
            composition = _method(COMPOSITION)
            definition = replace_method(definition, at, [composition, bookkeeping])
            public = [experiment, runtime]
        at, _ = find_method(definition, self.experiment_after)
        return insert_methods(definition, at + 1, public)

    def _loop(self, method: cst.FunctionDef) -> cst.For:
        statements = statements_of(method.body)
        if m.matches(statements[0], DOCSTRING):
            statements.pop(0)
        if len(statements) != 1 or not m.matches(statements[0], _LOOP):
            raise self.missing(
                "nothing but one loop over range(len(self.learning_modules))"
            )
        loop = cst.ensure_type(statements[0], cst.For)
        if not m.matches(statements_of(loop.body)[0], _COLLECTED):
            raise self.missing(f"a loop that starts with self.{COLLECT}(i)")
        return loop

    def _check_statements(self, loop: cst.For) -> None:
        looked_up = "a step looked up as getattr(..., self.step_type)"
        expected: dict[str, m.BaseMatcherNode] = {looked_up: _STEP}
        if self.overrides_base and self.experiment_after is not None:
            expected |= {
                f"a call of self.{TARGETS}": m.Call(func=on_self(TARGETS)),
                f"a use of {TARGETS_LOG}": m.Attribute(attr=m.Name(TARGETS_LOG)),
                f"a call of {PROCESSED}": m.Attribute(attr=m.Name(PROCESSED)),
            }
        for description, pattern in expected.items():
            if not m.findall(loop, pattern):
                raise self.missing(description)


_COUNT = m.Call(func=m.Name("len"), args=[m.Arg(on_self("learning_modules"))])
_LOOP = m.For(
    target=m.Name(),
    iter=m.Call(func=m.Name("range"), args=[m.Arg(_COUNT)]),
    orelse=None,
)
_COLLECTED = m.SimpleStatementLine(
    body=[m.Assign(targets=[m.AssignTarget(m.Name())], value=m.Call(on_self(COLLECT)))]
)
_STEP = m.Call(func=m.Name("getattr"), args=[m.Arg(), m.Arg(on_self("step_type"))])
_CONCERNS = Concerns(
    {
        "experiment": m.Attribute(attr=m.Name(TARGETS) | m.Name(TARGETS_LOG)),
        "bookkeeping": m.Attribute(attr=m.Name(PROCESSED)),
    },
    rest="runtime",
)


def _check_variables(loop: cst.For, methods: Sequence[cst.FunctionDef]) -> None:
    """Check that each method assigns the variables of the loop that it uses.

    Raises:
        CannotDivide: If one does not.
    """
    of_loop = names_of(loop).made_local
    for method in methods:
        names = names_of(method.body)
        missing = (names.used & of_loop) - names.made_local
        if missing:
            raise CannotDivide(
                f"{min(missing)} is assigned for one concern and used by another"
            )


def _method(source: str, loop: cst.For | None = None) -> cst.FunctionDef:
    method = parsed(source, cst.FunctionDef)
    return with_statements(method, [loop]) if loop else method


def _loop_of(concern: str, loop: cst.For) -> cst.For | None:
    """Return the loop with the statements of one concern; None if there are none."""
    collected, *statements = statements_of(loop.body)
    (assigned,) = find_all(collected, cst.Assign, m.Assign())
    index = cst.ensure_type(loop.target, cst.Name).value
    own = _CONCERNS.part(concern, statements)
    if not own:
        return None
    if concern != "runtime":
        # All of them: the loop enumerates the inputs with their index.
        name = cst.ensure_type(assigned.targets[0].target, cst.Name).value
        target = cst.parse_expression(f"{index}, {name}")
        return with_statements(loop, own).with_changes(
            target=target.with_changes(lpar=[], rpar=[]),
            iter=cst.parse_expression("enumerate(inputs)"),
        )
    inputs = cst.parse_expression(f"inputs[{index}]")
    collected = collected.with_deep_changes(assigned, value=inputs)
    loop = with_statements(loop, [collected, *own])
    return loop.with_changes(iter=cst.parse_expression(_IN_ORDER))
