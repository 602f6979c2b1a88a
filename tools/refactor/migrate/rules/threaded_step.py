# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Learning modules that are stepped in threads, all of which would use one backend."""

# ruff: noqa: N802 LibCST calls visitors by the names of nodes

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from ...nodes import find_all
from ..class_rewriter import ClassRewriter
from ..rule import Rule

__all__ = ["RULE"]

STEPS = ("matching_step", "exploratory_step")

_TARGET = m.Arg(keyword=m.Name("target"))
_THREAD = m.Call(func=m.Name("Thread") | m.Attribute(attr=m.Name("Thread")))
_SUBMIT = m.Call(func=m.Attribute(attr=m.Name("submit") | m.Name("map")))


class _FindThreads(ClassRewriter):
    """Marks the statements; it changes nothing."""

    def leave_SimpleStatementLine(
        self,
        original_node: cst.SimpleStatementLine,
        updated_node: cst.SimpleStatementLine,
    ) -> cst.BaseStatement:
        passed = [
            argument.value.attr.value
            for call in find_all(original_node, cst.Call, _THREAD | _SUBMIT)
            for argument in call.args
            if isinstance(argument.value, cst.Attribute)
            and argument.value.attr.value in STEPS
            and (m.matches(call, _SUBMIT) or m.matches(argument, _TARGET))
        ]
        if not passed or not self.imports_monty():
            return self.unmark(updated_node)
        what = (
            f"{passed[0]} is run in a thread, and all learning modules share a backend"
        )
        return self.mark(original_node, updated_node, what)


RULE: Rule = Rule(
    id="threaded-step",
    summary="Steps of learning modules that are handed to threads are marked.",
    by_hand=(
        "Let Monty step the learning modules: their work runs together then. Or call "
        "the dispatch halves of all of them, then the process halves, in one thread."
    ),
    # The method is among the arguments of the call, so not far from it.
    words=rf"\b(Thread|submit|map)\b[\s\S]{{0,2000}}?\.({'|'.join(STEPS)})\s*[,)]",
    rewrite=lambda module, file: _FindThreads(RULE.id, file).run(module),
)
