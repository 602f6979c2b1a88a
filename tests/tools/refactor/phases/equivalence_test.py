# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A split method does what it did: random methods, before and after."""

from __future__ import annotations

import unittest
from collections import Counter
from typing import Any, Callable

import libcst as cst
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from libcst.codemod import CodemodContext

from monty_tools.refactor.codemods.split_phase import SplitPhase
from monty_tools.refactor.phases.refusal import CannotSplit
from tests.tools.refactor.phases.random_methods import Recorder, methods

PLANS = st.lists(st.integers(0, 2**20), min_size=3, max_size=6)
# What a generated method may be refused for; all else that it does can be split.
REASONS = ("may have no value", "first assigned after", "never has a value", "function")


class EquivalenceTest(unittest.TestCase):
    def test_halves_do_what_the_whole_did(self) -> None:
        self.check(swallows=True, examples=200)

    def test_halves_do_what_the_whole_did_where_no_with_swallows(self) -> None:
        self.check(swallows=False, examples=100)

    def check(self, swallows: bool, examples: int) -> None:
        outcomes: Counter[str] = Counter()

        @settings(
            max_examples=examples,
            deadline=None,
            derandomize=True,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        @given(methods(swallows), PLANS)
        def halves_do_what_the_whole_did(source: str, plans: list[int]) -> None:
            outcomes[outcome_of_splitting(source, plans, swallows)] += 1

        halves_do_what_the_whole_did()
        # Refusing everything would be right, too.
        self.assertGreater(outcomes["split"], 2 * outcomes["refused"])


def outcome_of_splitting(source: str, plans: list[int], swallows: bool) -> str:
    """Split a method and compare what it does.

    Args:
        source: The source of a class `Subject` with a method `m`.
        plans: What it runs into, by run.
        swallows: Whether a `with` in it may swallow exceptions.

    Returns:
        Whether it was split or refused.
    """
    codemod = SplitPhase(
        CodemodContext(),
        class_name="Subject",
        method="m",
        call="self.work",
        with_swallows=swallows,
    )
    try:
        split = codemod.transform_module(cst.parse_module(source)).code
    except CannotSplit as refused:
        assert any(reason in refused.construct for reason in REASONS), refused
        return "refused"
    before, after = _class(source), _class(split)
    for plan in plans:
        whole = _run(before, plan, _call_whole)
        assert whole == _run(after, plan, _call_whole), split
        assert whole == _run(after, plan, _call_halves), split
    return "split"


def _class(source: str) -> type[Recorder]:
    namespace = {"Recorder": Recorder, "__name__": __name__}
    exec(compile(source, "<subject>", "exec", dont_inherit=True), namespace)  # noqa: S102
    return namespace["Subject"]


def _call_whole(subject: Any, *args: Any, **kwargs: Any) -> Any:
    return subject.m(*args, **kwargs)


def _call_halves(subject: Any, *args: Any, **kwargs: Any) -> Any:
    return subject.process_m(subject.dispatch_m(*args, **kwargs))


def _run(kind: type[Recorder], plan: int, call: Callable[..., Any]) -> str:
    """Return all that can be seen of a call: its result, its effects, their order."""
    subject = kind(plan)
    arguments = {} if plan % 3 else {"k": plan}
    try:
        ended = "returned", call(subject, plan % 5, **arguments)
    except Exception as error:  # noqa: BLE001
        ended = "raised", type(error), error.args
    # Compared as text: two exceptions are never equal.
    return repr({"ended": ended, "log": subject.log, "kept": subject.kept})
