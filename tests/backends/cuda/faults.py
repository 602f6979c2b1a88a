# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Episodes in which a device fails at one of its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.failures import DeviceFault, OutOfDeviceMemory
from tbp.monty.backends.hypotheses import (
    VotesForGraph,
    add_votes,
    displace,
    known_evidence,
    likely_hypotheses,
    most_likely,
    one_hypothesis,
)
from tbp.monty.backends.numpy.evidence import rotated
from tests.backends.scene_lms import SceneLM

__all__ = ["ERRORS", "Episode", "FailingStream", "Faults"]

STEPS, LMS = 6, 2
LOCATION_ONLY = (2, 4)
"""The steps on which learning modules only displace their hypotheses."""

ERRORS = (OutOfDeviceMemory, DeviceFault, KeyboardInterrupt)


class Faults:
    """Counts the calls of streams while it is armed, and lets one of them fail.

    Attributes:
        calls: How many calls there were.
        fails_at: Which of them fails; None for none.
        error: What it raises.
        injected: How many have failed.
    """

    def __init__(
        self, fails_at: int | None = None, error: type[BaseException] = DeviceFault
    ) -> None:
        self.calls = 0
        self.fails_at = fails_at
        self.error = error
        self.injected = 0
        self.is_armed = False

    def count(self, call: str) -> None:
        if not self.is_armed:
            return
        number, self.calls = self.calls, self.calls + 1
        if number == self.fails_at:
            self.injected += 1
            raise self.error(f"{call} has failed, as it was to")


class FailingStream:
    """A stream whose calls may fail before they have done anything."""

    def __init__(self, stream: Any, faults: Faults) -> None:
        self.where, self.real = stream.where, stream.real
        self.close, self.pooled = stream.close, stream.pooled
        self._stream, self._faults = stream, faults

    def allocate(self, nbytes: int, what: str) -> Any:
        self._faults.count("allocate")
        return self._stream.allocate(nbytes, what)

    def send(self, address: int, data: bytes) -> None:
        self._faults.count("send")
        self._stream.send(address, data)

    def fetch(self, address: int, nbytes: int) -> Any:
        self._faults.count("fetch")
        return self._stream.fetch(address, nbytes)

    def launch(self, kernel: str, *arguments: int) -> None:
        self._faults.count(f"launch of {kernel}")
        self._stream.launch(kernel, *arguments)

    def wait(self, about: Callable[[], str] | None = None) -> None:
        self._faults.count("wait")
        self._stream.wait(about)


class Episode:
    """Two learning modules in one group: updates, votes and location-only steps.

    What happens between two looks at them is an act. An act that raises is done again.
    """

    def __init__(self, backend: Any, kind: str, faults: Faults) -> None:
        self._backend = backend
        self._faults = faults
        self._lms = [SceneLM(i, kind) for i in range(LMS)]
        self._random = np.random.default_rng(0)

    def run(self) -> list[Any]:
        """Return what the learning modules believe after each act."""
        looks = [self._look()]
        for act in self._acts():
            self._do(act)
            looks.append(self._look())
        return looks

    def check(self, expected: list[Any]) -> None:
        """Run, and compare with a run without faults: after each fault, and at the end.

        Args:
            expected: What that run has returned.
        """
        for number, act in enumerate(self._acts()):
            before = self._faults.injected
            try:
                self._do(act)
            except ERRORS:
                # As whoever steps learning modules does after an error.
                self._backend.discard()
                np.testing.assert_equal(self._look(), expected[number])
                self._do(act)
            if self._faults.injected > before:
                np.testing.assert_equal(self._look(), expected[number + 1])
        np.testing.assert_equal(self._look(), expected[-1])

    def _do(self, act: Callable[[], None]) -> None:
        self._faults.is_armed = True
        try:
            act()
        finally:
            self._faults.is_armed = False

    def _look(self) -> Any:
        return [lm.beliefs() for lm in self._lms]

    def _acts(self) -> Iterator[Callable[[], None]]:
        for step in range(STEPS):
            if step in LOCATION_ONLY:
                for lm in self._lms:
                    yield self._displacing(lm, self._random.normal(size=3) * 0.01)
            else:
                yield self._updating()
            yield self._asking
            yield self._voting()

    def _updating(self) -> Callable[[], None]:
        updates = [lm.next_update() for lm in self._lms]

        def update() -> None:
            works = [
                DescribedWork(one.lm_id, _not_here, describe=lambda one=one: one)
                for one in updates
            ]
            for work in works:
                self._backend.dispatch(work)
            self._backend.launch(tuple(range(LMS)))
            outcomes = [self._backend.result(work) for work in works]
            for lm, outcome in zip(self._lms, outcomes, strict=True):
                lm.take(outcome)

        return update

    def _displacing(self, lm: SceneLM, displacement: Any) -> Callable[[], None]:
        def move() -> None:
            for graph in displace(lm.hypotheses, displacement):
                one = lm.hypotheses[graph]
                one.locations = one.locations + rotated(one.poses, displacement)

        return move

    def _voting(self) -> Callable[[], None]:
        random, votes = self._random, []
        for lm in self._lms:
            votes += [
                (lm, graph, random.normal(size=(20, 3)) * 0.05, random.random(20))
                for graph in lm.hypotheses
            ]

        def vote() -> None:
            add_votes(
                [
                    (
                        lm.hypotheses[graph],
                        VotesForGraph(locations, confidences, 0.5, False, 0.05),
                    )
                    for lm, graph, locations, confidences in votes
                ]
            )

        return vote

    def _asking(self) -> None:
        """Ask what learning modules ask of their hypotheses on each step."""
        for lm in self._lms:
            known_evidence(lm.hypotheses, list(lm.hypotheses))
            likely_hypotheses(lm.hypotheses, 0.5)
            for of_graph in lm.hypotheses.values():
                place = most_likely(of_graph)
                if place is not None:
                    one_hypothesis(of_graph, place)
                    one_hypothesis(of_graph, 0)


def _not_here() -> Any:
    raise AssertionError("this update was not computed by the backend")
