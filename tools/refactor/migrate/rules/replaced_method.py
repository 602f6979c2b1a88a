# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Methods of learning modules that are replaced from outside, or run in threads."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from ..kinds import Kind, kind_of_upstream_class
from ..names import dotted
from ..rule import Left, PythonFile, Rule
from ..steps import TWO_PHASE_METHODS

__all__ = ["RULE", "THREADS_RULE"]

_STEP = "matching_step"
"""If this is replaced on one learning module, stepping calls the replacement."""
_STEPS = ("matching_step", "exploratory_step")
_METHODS = "|".join(TWO_PHASE_METHODS)
_PATH = re.compile(rf"^(tbp\.monty\.[\w.]+)\.({_METHODS})$")


def _look(file: PythonFile) -> None:
    if not file.names.mentions_monty:
        return
    for node in ast.walk(file.source.tree):
        for name in _replaced_by(file, node):
            what = f"{name} is replaced, and its halves are what Monty calls"
            file.leave(
                node,
                Left(
                    what,
                    "Replace the halves (dispatch_matching_step and "
                    "process_matching_step, for instance), or matching_step of one "
                    "learning module instead of its class.",
                ),
            )


def _replaced_by(file: PythonFile, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(value=owner, attr=name, ctx=ast.Store()):
            if _is_passed_over(file, owner, name):
                yield name
        case ast.Call(args=[owner, ast.Constant(value=str(name)), *_]):
            patches = ("setattr", "object", "patch_object")
            if _called(node) in patches and _is_passed_over(file, owner, name):
                yield name
        case ast.Call(args=[ast.Constant(value=str(text)), *_]):
            path = _PATH.match(text)
            if _called(node) in ("patch", "setattr") and path and _has_halves(path[1]):
                yield path[2]


def _called(call: ast.Call) -> str:
    return (dotted(call.func) or "").rpartition(".")[2]


def _is_passed_over(file: PythonFile, owner: ast.expr, method: str) -> bool:
    if method not in TWO_PHASE_METHODS:
        return False
    if method != _STEP or (isinstance(owner, ast.Call) and _called(owner) == "type"):
        return True
    name = dotted(owner)
    if name is None:
        return False
    kind = file.project.classes.kind_of(file.path, "", name)
    return kind is Kind.EVIDENCE_LM or _has_halves(file.names.imported(name))


def _has_halves(imported: str) -> bool:
    """Return whether a class of upstream is, or is above, one that has halves."""
    kind = kind_of_upstream_class(imported)
    is_above = kind is Kind.LM and imported.endswith(".GraphLM")
    return kind is Kind.EVIDENCE_LM or is_above


def _look_at_threads(file: PythonFile) -> None:
    if not file.names.mentions_monty:
        return
    for node in ast.walk(file.source.tree):
        if isinstance(node, ast.Call) and _called(node) in ("Thread", "submit", "map"):
            for name in _run_by(node):
                what = f"{name} is run in a thread, and all learning modules share a"
                file.leave(
                    node,
                    Left(
                        f"{what} backend",
                        "Let Monty step the learning modules: their work runs together "
                        "then. Or call the dispatch halves of all of them, then the "
                        "process halves, in one thread.",
                    ),
                )


def _run_by(call: ast.Call) -> Iterator[str]:
    targets = [one.value for one in call.keywords if one.arg == "target"]
    for value in targets if _called(call) == "Thread" else call.args:
        if isinstance(value, ast.Attribute) and value.attr in _STEPS:
            yield value.attr


RULE: Rule = Rule(
    id="patched-method",
    summary=(
        "Methods of learning modules that are replaced from outside (setattr, "
        "patch.object, an assignment) are listed where their halves are called instead."
    ),
    words=rf"({_METHODS})[\"']|\.({_METHODS})\s*(:[^=\n]*)?=[^=]",
    look=_look,
)
THREADS_RULE: Rule = Rule(
    id="threaded-step",
    summary="Steps of learning modules that are handed to threads are listed.",
    # The method is among the arguments of the call, so not far from it.
    words=rf"\b(Thread|submit|map)\b[\s\S]{{0,2000}}?\.({'|'.join(_STEPS)})\s*[,)]",
    look=_look_at_threads,
)
