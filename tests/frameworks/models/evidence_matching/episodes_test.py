# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Whole episodes on synthetic objects: backends do what upstream's arithmetic does.

The reference backend is upstream's own code, and equal to it to the last bit.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.synthetic_monty import SyntheticRun

EPISODES = 200
SAMPLE = frozenset(range(0, EPISODES, 17))
"""The episodes that are run every time; the others belong to `make test-all`."""

WITHIN = 1e-9


def run_number(number: int) -> SyntheticRun:
    """Return the run of this number; every run is different."""
    choose = random.Random(f"episode {number}")  # noqa: S311
    updater = ("default", "burst_sampling")[number % 2]
    lms = choose.randint(1, 5)
    objects = choose.randint(1, 20)
    return SyntheticRun(
        updater=updater,
        lms=lms,
        objects=objects,
        channels=choose.randint(1, 3),
        neighbors=choose.choice([1, 3, 10]),
        steps=12 if updater == "burst_sampling" else 6,
        nodes=(20, choose.choice([40, 120])),
        # Upstream copies every vote for every receiver, which takes long.
        votes=lms * objects <= 8,
        seed=number,
    )


def all_episodes() -> list:
    return [
        pytest.param(number, marks=[] if number in SAMPLE else [pytest.mark.thorough])
        for number in range(EPISODES)
    ]


def test_the_episodes_are_of_every_kind() -> None:
    runs = [run_number(number) for number in range(EPISODES)]
    for name, values in {
        "updater": {"default", "burst_sampling"},
        "lms": {1, 2, 3, 4, 5},
        "objects": set(range(1, 21)),
        "channels": {1, 2, 3},
        "neighbors": {1, 3, 10},
        "votes": {True, False},
    }.items():
        assert {getattr(run, name) for run in runs} == values
    sample = [runs[number] for number in SAMPLE]
    assert {run.updater for run in sample} == {"default", "burst_sampling"}
    assert {run.channels for run in sample} == {1, 2, 3}


@pytest.mark.parametrize("number", all_episodes())
def test_backends_do_what_reference_does(number: int) -> None:
    run = run_number(number)
    montys = {name: run.make(name) for name in ("reference", "numpy", "numba")}
    reference = montys["reference"]
    others = {name: monty for name, monty in montys.items() if monty is not reference}
    try:
        contexts = {name: run.begin(monty) for name, monty in montys.items()}
        for step in range(run.steps):
            for name, monty in montys.items():
                run.step(monty, contexts[name], step)
            for name, other in others.items():
                assert_same_beliefs(reference, other, f"{name}, step {step} of {run}")
                assert reference.is_done == other.is_done, name
        for monty in montys.values():
            monty.deal_with_time_out()
        for name, other in others.items():
            assert_same_outcomes(reference, other)
            assert sum(other.backend.ran.values()) > 0, name
            assert other.backend.ran == reference.backend.ran, name
    finally:
        for monty in montys.values():
            monty.close()


def assert_same_beliefs(reference: Any, tested: Any, where: str) -> None:
    for one, other in zip(
        reference.learning_modules, tested.learning_modules, strict=True
    ):
        for name in ("graph_id", "mlh_id"):
            assert one.current_mlh[name] == other.current_mlh[name], where
        assert one.get_possible_matches() == other.get_possible_matches(), where
        assert one.terminal_state == other.terminal_state, where
        assert list(one._hypotheses) == list(other._hypotheses), where
        for graph_id, hypotheses in one._hypotheses.items():
            np.testing.assert_allclose(
                other._hypotheses[graph_id].evidence,
                hypotheses.evidence,
                rtol=0,
                atol=WITHIN,
                err_msg=where,
            )


def assert_same_outcomes(reference: Any, tested: Any) -> None:
    for one, other in zip(
        reference.learning_modules, tested.learning_modules, strict=True
    ):
        assert one.terminal_state == other.terminal_state
        assert one.detected_object == other.detected_object
        for mine, theirs in zip(one.detected_pose, other.detected_pose, strict=True):
            if mine is None:
                assert theirs is None
            else:
                np.testing.assert_allclose(theirs, mine, rtol=0, atol=1e-6)
