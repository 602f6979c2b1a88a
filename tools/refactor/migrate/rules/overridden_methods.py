# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides of other methods that take part in a step: each rule lists one kind."""

from __future__ import annotations

import ast
from typing import Callable, Collection, NamedTuple

from ..attributes import is_super
from ..kinds import Kind
from ..rule import Left, PythonFile, Rule
from ..source import Function
from ..steps import ARGUMENTS, MONTYS_STEP, TWO_PHASE_METHODS, can_be_called

__all__ = ["RULES"]


class _Listed(NamedTuple):
    """Methods that are listed where a class of some kinds defines them."""

    rule: str
    summary: str
    methods: Collection[str]
    kinds: Collection[Kind]
    left: Left
    if_it: Callable[[Function], bool] = lambda _: True


def _calls_no_super(method: Function) -> bool:
    return not any(map(is_super, ast.walk(method)))


def _uses_learning_modules(method: Function) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "learning_modules"
        for node in ast.walk(method)
    )


def _cannot_be_called(method: Function) -> bool:
    return not can_be_called(method)


_LISTED = [
    _Listed(
        "update-evidence",
        "Overrides of _update_evidence are listed.",
        ["_update_evidence"],
        [Kind.EVIDENCE_LM],
        Left(
            "it updates graphs in its own way, so the learning module runs on the "
            "backend reference",
            "For other backends, do what it does in a hypotheses updater of your own, "
            "or for all graphs at once in _dispatch_update_possible_matches or "
            "_process_update_possible_matches.",
            works=True,
        ),
    ),
    _Listed(
        "part-of-step",
        "Overrides of methods that the step of an evidence learning module calls are "
        "listed.",
        MONTYS_STEP.difference(TWO_PHASE_METHODS, ["_update_evidence"]),
        [Kind.EVIDENCE_LM],
        Left(
            "the step calls it, at another time than before as seen from other "
            "learning modules",
            "If it changes nothing but its own learning module and reads nothing else, "
            "nothing has to be done. Otherwise override matching_step with nothing but "
            "a call of super(): the step then runs whole.",
            works=True,
        ),
    ),
    _Listed(
        "step-learning-modules",
        "Overrides of _step_learning_modules with a loop of their own are listed.",
        ["_step_learning_modules"],
        [Kind.MONTY],
        Left(
            "it steps one learning module after the other",
            "For a backend to run their work together, override "
            "update_stepwise_targets, step_learning_modules and "
            "_note_processed_inputs instead.",
            works=True,
        ),
        _calls_no_super,
    ),
    _Listed(
        "stepwise-targets",
        "Overrides of _set_stepwise_targets that look at other learning modules are "
        "listed.",
        ["_set_stepwise_targets"],
        [Kind.MONTY],
        Left(
            "it looks at other learning modules, and is now called before any of them "
            "has been stepped",
            "If it needs what another learning module did on this step, do it in "
            "_note_processed_inputs.",
        ),
        _uses_learning_modules,
    ),
    _Listed(
        "step-signature",
        "Overrides of steps that do not take the context are listed.",
        ARGUMENTS,
        [Kind.EVIDENCE_LM, Kind.LM, Kind.MONTY],
        Left(
            "Monty calls it with the context first, which it does not take",
            "Add ctx as the first parameter, pass it on to super(), and take random "
            "numbers from ctx.rng. Then run migrate again.",
        ),
        _cannot_be_called,
    ),
]


def _rule(listed: _Listed) -> Rule:
    def look(file: PythonFile) -> None:
        for one, method in file.methods():
            is_listed = method.name in listed.methods and listed.if_it(method)
            if is_listed and file.project.classes.kind(one) in listed.kinds:
                file.leave(method, listed.left)

    words = rf"def\s+({'|'.join(sorted(listed.methods))})\b"
    return Rule(listed.rule, listed.summary, words, look)


RULES = [_rule(one) for one in _LISTED]
