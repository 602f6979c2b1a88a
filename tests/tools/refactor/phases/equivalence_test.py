# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Compares the behaviour of random methods before and after they are split."""

from __future__ import annotations

import unittest
from collections import Counter
from typing import Any, Callable

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from monty_tools.refactor.phases.refusal import Refused
from tests.tools.refactor.phases.random_methods import CALL, Recorder, methods
from tests.tools.refactor.phases.splitting import split

PLANS = st.lists(st.integers(0, 2**20), min_size=3, max_size=6)
# The reasons to refuse a generated method; everything else can be split.
REASONS = (
    "may have no value",
    "first assigned after",
    "never has a value",
    "function",
    "several contexts",
)


class EquivalenceTest(unittest.TestCase):
    def test_halves_do_what_the_whole_did(self) -> None:
        self.check(100)

    @pytest.mark.thorough
    def test_halves_of_many_methods_do_what_the_whole_did(self) -> None:
        self.check(1000)

    def check(self, count: int) -> None:
        outcomes: Counter[str] = Counter()

        @settings(
            max_examples=count,
            deadline=None,
            derandomize=True,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        @given(methods(), PLANS)
        def halves_do_what_the_whole_did(source: str, plans: list[int]) -> None:
            outcomes[outcome_of_splitting(source, plans)] += 1

        halves_do_what_the_whole_did()
        # Refusing everything would pass, too.
        self.assertGreater(outcomes["split"], 2 * outcomes["refused"])


def outcome_of_splitting(source: str, plans: list[int]) -> str:
    """Split a method and compare what it does.

    Args:
        source: The source of a class `Subject` with a method `m`.
        plans: The plan of each run.

    Returns:
        Whether it was split or refused.
    """
    try:
        halves = split(source, CALL)
    except Refused as refused:
        assert any(reason in str(refused) for reason in REASONS), refused
        return "refused"
    before, after = _class(source), _class(halves)
    for plan in plans:
        whole = _run(before, plan, _call_whole)
        assert whole == _run(after, plan, _call_whole), halves
        assert whole == _run(after, plan, _call_halves), halves
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
    """Return what a call shows: its result, its effects, and their order."""
    subject = kind(plan)
    arguments = {} if plan % 3 else {"k": plan}
    try:
        ended = "returned", call(subject, plan % 5, **arguments)
    except Exception as error:  # noqa: BLE001
        ended = "raised", type(error), error.args
    # Compared as text: two exceptions are never equal.
    return repr({"ended": ended, "log": subject.log, "kept": subject.kept})
