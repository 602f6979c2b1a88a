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

from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext

from ..class_codemod import ClassCodemod, find_method, has_method, insert_methods
from ..failures import MissingAnchor
from ..imports import NeededImport

__all__ = ["SplitStepLearningModules"]

SPLIT = "_step_learning_modules"
COLLECT = "_collect_inputs_to_lm"
TARGETS = "_set_stepwise_targets"
TARGETS_LOG = "stepwise_targets_list"
PROCESSED = "add_lm_processing_to_buffer_stats"

COMPOSITION = """\
def _step_learning_modules(self, ctx: RuntimeContext):
    inputs = [
        self._collect_inputs_to_lm(i) for i in range(len(self.learning_modules))
    ]
    self.set_stepwise_targets(inputs)
    self.step_learning_modules(ctx, self.lm_groups, inputs)
    self._note_processed_inputs(inputs)
"""

EXPERIMENT = """\
def set_stepwise_targets(self, inputs: Sequence[Sequence[Message]]) -> None:
    pass
"""

RUNTIME = """\
def step_learning_modules(
    self,
    ctx: RuntimeContext,
    groups: Sequence[LMGroup],
    inputs: Sequence[Sequence[Message]],
) -> None:
    pass
"""

BOOKKEEPING = """\
def _note_processed_inputs(self, inputs: Sequence[Sequence[Message]]) -> None:
    pass
"""


class SplitStepLearningModules(ClassCodemod):
    """Divides the loop over learning modules into one loop a concern.

    Upstream's loop collects the inputs of a learning module, sets its target, steps
    it and notes that it was stepped, then goes on to the next. Each statement of the
    loop goes into the method of its concern: what touches stepwise targets to
    `set_stepwise_targets`, what notes processing to `_note_processed_inputs`, all
    else to `step_learning_modules`. Branches around them are repeated where a concern
    has statements in them.

    It does not reorder statements within a concern, and it does not check that the
    concerns are independent between learning modules: that is so in Monty, where a
    step reads messages collected before and writes to its own learning module only.
    """

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        overrides_base: bool,
        experiment_after: str,
        imports: Sequence[NeededImport] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            overrides_base: Whether the class inherits the composition of the three
                methods and overrides each, instead of composing them itself.
            experiment_after: The method after which the experiment's method stands.
            imports: What the new signatures need.
        """
        super().__init__(context, class_name, imports)
        self.overrides_base = overrides_base
        self.experiment_after = experiment_after

    def already_done(self, definition: cst.ClassDef) -> bool:
        return has_method(definition, "step_learning_modules")

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, SPLIT)
        find_method(definition, COLLECT if not self.overrides_base else TARGETS)
        loop = self._loop(method)
        self._check_concerns(loop)
        runtime, bookkeeping, experiment = (
            _method(signature, _loop_of(concern, loop))
            for concern, signature in (
                (_RUNTIME, RUNTIME),
                (_BOOKKEEPING, BOOKKEEPING),
                (_EXPERIMENT, EXPERIMENT),
            )
        )
        replaced = [runtime, bookkeeping]
        if not self.overrides_base:
            replaced.insert(0, _method(COMPOSITION))
        body = definition.body.body
        definition = insert_methods(
            definition.with_deep_changes(
                definition.body, body=[*body[:at], *body[at + 1 :]]
            ),
            at,
            replaced,
        )
        # What stood above the method, a section heading say, stays there.
        first = definition.body.body[at]
        definition = definition.with_deep_changes(
            first, leading_lines=method.leading_lines
        )
        at, _ = find_method(definition, self.experiment_after)
        return insert_methods(definition, at + 1, [experiment])

    def _loop(self, method: cst.FunctionDef) -> cst.For:
        loops = [node for node in method.body.body if m.matches(node, _LOOP)]
        if len(loops) != 1 or not m.matches(method.body.body[-1], _LOOP):
            raise self._missing("one loop over range(len(self.learning_modules))")
        if not m.matches(loops[0].body.body[0], _COLLECTED):
            raise self._missing(f"a loop that starts with self.{COLLECT}(i)")
        return loops[0]

    def _check_concerns(self, loop: cst.For) -> None:
        if not m.findall(loop, _STEP):
            raise self._missing("a step looked up as getattr(..., self.step_type)")
        expected = []
        if self.overrides_base:
            expected = [
                (m.Call(func=_on_self(TARGETS)), f"a call of self.{TARGETS}"),
                (m.Attribute(attr=m.Name(TARGETS_LOG)), f"a use of {TARGETS_LOG}"),
                (m.Attribute(attr=m.Name(PROCESSED)), f"a call of {PROCESSED}"),
            ]
        for pattern, description in expected:
            if not m.findall(loop, pattern):
                raise self._missing(description)

    def _missing(self, looked_for: str) -> MissingAnchor:
        return MissingAnchor(looked_for, class_name=self.class_name, method=SPLIT)


def _on_self(name: str) -> m.Attribute:
    return m.Attribute(value=m.Name("self"), attr=m.Name(name))


_LOOP = m.For(
    target=m.Name(),
    iter=m.Call(
        func=m.Name("range"),
        args=[
            m.Arg(
                m.Call(func=m.Name("len"), args=[m.Arg(_on_self("learning_modules"))])
            )
        ],
    ),
)
_COLLECTED = m.SimpleStatementLine(
    body=[m.Assign(targets=[m.AssignTarget(m.Name())], value=m.Call(_on_self(COLLECT)))]
)
_STEP = m.Call(func=m.Name("getattr"), args=[m.Arg(), m.Arg(_on_self("step_type"))])
_NOTE = m.SimpleStatementLine(body=[m.Expr(m.SimpleString())])

# A concern is known by the attributes its statements use; the runtime's is the rest.
_EXPERIMENT = m.Attribute(attr=m.Name(TARGETS) | m.Name(TARGETS_LOG))
_BOOKKEEPING = m.Attribute(attr=m.Name(PROCESSED))
_RUNTIME = None


def _method(source: str, loop: cst.For | None = None) -> cst.FunctionDef:
    method = cst.ensure_type(cst.parse_statement(source), cst.FunctionDef)
    return method.with_deep_changes(method.body, body=[loop]) if loop else method


def _loop_of(concern: m.BaseMatcherNode | None, loop: cst.For) -> cst.For | None:
    """Return the loop with the statements of one concern, None if it has none."""
    collected, *statements = loop.body.body
    own = _statements_of(concern, statements)
    if not own:
        return None
    index = loop.target
    inputs = cst.parse_expression(f"inputs[{index.value}]")
    collected = collected.with_deep_changes(collected.body[0], value=inputs)
    loop = loop.with_deep_changes(loop.body, body=[collected, *own])
    if concern is _RUNTIME:
        loop = loop.with_changes(iter=cst.parse_expression("in_original_order(groups)"))
    return loop


def _statements_of(
    concern: m.BaseMatcherNode | None, statements: Sequence[cst.BaseStatement]
) -> list[cst.BaseStatement]:
    own = []
    notes = []
    for statement in statements:
        if m.matches(statement, _NOTE):
            # A string that serves as a comment belongs to what follows it.
            notes.append(statement)
            continue
        if isinstance(statement, cst.If) and m.findall(
            statement, _EXPERIMENT | _BOOKKEEPING
        ):
            part = _branches_of(concern, statement)
        else:
            part = statement if _is_of(concern, statement) else None
        if part is not None:
            own += [*notes, part]
        notes = []
    if own:
        own[0] = own[0].with_changes(leading_lines=_comments(own[0].leading_lines))
    return own


def _branches_of(concern: m.BaseMatcherNode | None, branch: cst.If) -> cst.If | None:
    body = _statements_of(concern, branch.body.body)
    other = branch.orelse
    if isinstance(other, cst.Else):
        other = _else_of(other, _statements_of(concern, other.body.body))
    if not body:
        if other is not None:
            raise MissingAnchor(
                "statements of the same concern in both branches of an if",
                method=SPLIT,
            )
        return None
    # The comment above the branch is about stepping.
    lines = branch.leading_lines if concern is _RUNTIME else []
    branch = branch.with_changes(orelse=other, leading_lines=lines)
    return branch.with_deep_changes(branch.body, body=body)


def _else_of(
    other: cst.Else, statements: list[cst.BaseStatement]
) -> cst.Else | cst.If | None:
    if not statements:
        return None
    if len(statements) == 1 and isinstance(statements[0], cst.If):
        return statements[0]  # printed as elif
    return other.with_deep_changes(other.body, body=statements)


def _is_of(concern: m.BaseMatcherNode | None, statement: cst.BaseStatement) -> bool:
    if concern is _RUNTIME:
        return not m.findall(statement, _EXPERIMENT | _BOOKKEEPING)
    return bool(m.findall(statement, concern))


def _comments(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Drop the empty lines at the start of a block."""
    lines = list(lines)
    while lines and lines[0].comment is None:
        lines.pop(0)
    return lines
