# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides of other methods that take part in a step."""

from __future__ import annotations

import ast
from typing import Callable, Iterator, NamedTuple

from ..attributes import is_super
from ..classes import ProjectClass
from ..kinds import Kind
from ..rule import Left, PythonFile, Rule
from ..source import Function
from ..steps import ARGUMENTS, MONTYS_STEP, TWO_PHASE_METHODS, can_be_called, parameters

__all__ = ["RULES", "look_at_former_definitions"]

_LMS = (Kind.EVIDENCE_LM,)
_STEPPED = (Kind.EVIDENCE_LM, Kind.LM, Kind.MONTY)
_FORMER_UPDATE = (
    {"hypotheses", "features", "displacement", "graph_id", "evidence_update_threshold"},
    {
        *("hypotheses", "features", "displacements", "graph_id", "mapper"),
        "evidence_update_threshold",
    },
)
"""The parameters that update_hypotheses of an updater had last, and before."""
_PARTS = MONTYS_STEP.difference(TWO_PHASE_METHODS, ["_update_evidence"])


class _Listed(NamedTuple):
    """Methods that are listed where a class of some kinds defines them."""

    methods: frozenset[str]
    kinds: tuple[Kind, ...]
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


_LISTED = {
    "update-evidence": [
        _Listed(
            frozenset({"_update_evidence"}),
            _LMS,
            Left(
                "the learning module has an update of graphs of its own, and runs on "
                "the backend reference",
                "For other backends, do what it does in a hypotheses updater of your "
                "own, or for all graphs at once in _dispatch_update_possible_matches "
                "or _process_update_possible_matches.",
                works=True,
            ),
        )
    ],
    "part-of-step": [
        _Listed(
            frozenset(_PARTS),
            _LMS,
            Left(
                "the step calls it, at another time than before as seen from other "
                "learning modules",
                "If it changes nothing but its own learning module and reads nothing "
                "else, nothing has to be done. Otherwise override matching_step with "
                "nothing but a call of super(): the step then runs whole.",
                works=True,
            ),
        )
    ],
    "step-learning-modules": [
        _Listed(
            frozenset({"_step_learning_modules"}),
            (Kind.MONTY,),
            Left(
                "it steps one learning module after the other",
                "For a backend to run their work together, override "
                "update_stepwise_targets, step_learning_modules and "
                "_note_processed_inputs instead.",
                works=True,
            ),
            _calls_no_super,
        )
    ],
    "stepwise-targets": [
        _Listed(
            frozenset({"_set_stepwise_targets"}),
            (Kind.MONTY,),
            Left(
                "it looks at other learning modules, and is now called before any of "
                "them has been stepped",
                "If it needs what another learning module did on this step, do it in "
                "_note_processed_inputs.",
            ),
            _uses_learning_modules,
        )
    ],
    "step-signature": [
        _Listed(
            frozenset({name}),
            _STEPPED,
            Left(
                f"Monty calls it with ({', '.join(given)}), which it does not take",
                "Add ctx as the first parameter, pass it on to super(), and take "
                "random numbers from ctx.rng. Then run migrate again.",
            ),
            _cannot_be_called,
        )
        for name, given in ARGUMENTS.items()
    ],
    "former-method": [
        _Listed(
            frozenset({"pre_step"}),
            (Kind.UPDATER,),
            Left(
                "pre_step of an updater is __enter__ now",
                "def __enter__(self):\n    ...  # what pre_step does\n    return self",
            ),
        ),
        _Listed(
            frozenset({"post_step"}),
            (Kind.UPDATER,),
            Left(
                "post_step of an updater is __exit__ now",
                "def __exit__(self, exc_type, exc_val, exc_tb):\n"
                "    ...  # what post_step does",
            ),
        ),
        _Listed(
            frozenset({"update_hypotheses"}),
            (Kind.UPDATER,),
            Left(
                "update_hypotheses of an updater is two methods now",
                "def displace_hypotheses(self, hypotheses, displacement, graph_id):\n"
                "    ...  # what moves hypotheses; return them\n\n"
                "def update_evidence(\n"
                "    self, hypotheses, features, graph_id, evidence_update_threshold\n"
                "):\n"
                "    ...  # the rest, with hypotheses that are moved already",
            ),
        ),
        _Listed(
            frozenset({"displace_hypotheses_and_compute_evidence"}),
            tuple(Kind),
            Left(
                "displace_hypotheses_and_compute_evidence of a displacer is two "
                "methods now",
                "def displace_hypotheses(self, displacement, hypotheses):\n"
                "    ...  # what moves hypotheses; return them\n\n"
                "def compute_evidence(\n"
                "    self, features, evidence_update_threshold, graph_id, hypotheses\n"
                "):\n"
                "    ...  # the rest, with hypotheses that are moved already",
            ),
        ),
    ],
}


def _look(file: PythonFile, rule: str) -> None:
    for one, method in _methods(file):
        for listed in _LISTED[rule]:
            if method.name not in listed.methods or not listed.if_it(method):
                continue
            if _kind(file, one) in listed.kinds:
                file.leave(method, listed.left)


def _methods(file: PythonFile) -> Iterator[tuple[ProjectClass, Function]]:
    for name, definitions in file.names.classes.items():
        for definition in definitions:
            for node in definition.body:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield ProjectClass(file.path, name), node


def _kind(file: PythonFile, one: ProjectClass) -> Kind:
    """Return what a class is; updaters need no base, so they are told by a method."""
    methods = [node for cls, node in _methods(file) if cls == one]
    if any(
        method.name in ("update_hypotheses", "update_evidence")
        and {*parameters(method)[1:]} | {"displacement"} in _FORMER_UPDATE
        for method in methods
    ):
        return Kind.UPDATER
    return file.project.classes.kind(one)


_SUMMARIES = {
    "update-evidence": "Overrides of _update_evidence are listed.",
    "part-of-step": (
        "Overrides of methods that the step of an evidence learning module calls are "
        "listed."
    ),
    "step-learning-modules": (
        "Overrides of _step_learning_modules with a loop of their own are listed."
    ),
    "stepwise-targets": (
        "Overrides of _set_stepwise_targets that look at other learning modules are "
        "listed."
    ),
    "step-signature": "Overrides of steps that do not take the context are listed.",
}


def _rule(name: str) -> Rule:
    methods = sorted({one for listed in _LISTED[name] for one in listed.methods})
    return Rule(
        id=name,
        summary=_SUMMARIES[name],
        words=rf"def\s+({'|'.join(methods)})\b",
        look=lambda file: _look(file, name),
    )


RULES = [_rule(name) for name in _LISTED if name != "former-method"]


def look_at_former_definitions(file: PythonFile) -> None:
    _look(file, "former-method")
