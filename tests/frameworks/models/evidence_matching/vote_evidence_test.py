# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest
from contextlib import ExitStack
from typing import Any, Callable
from unittest.mock import patch

import numpy as np

from tbp.monty.backends.tables.host_engine import HostEngine
from tbp.monty.frameworks.models import graph_matching
from tests.synthetic_monty import SyntheticRun

RUN = SyntheticRun(lms=3, objects=3, steps=5)


def dropping_votes(monty: Any) -> None:
    """Let Monty send no votes to its second learning module."""

    class Dropping(type(monty)):  # type: ignore[misc]
        def send_vote_to_lm(self, lm: Any, lm_id: int, combined_votes: Any) -> None:
            if lm_id != 1:
                super().send_vote_to_lm(lm, lm_id, combined_votes)

    monty.__class__ = Dropping


def halving_votes(monty: Any) -> None:
    """Let learning modules halve the confidence of votes that they receive."""
    for lm in monty.learning_modules:

        class Halving(type(lm)):  # type: ignore[misc]
            def receive_votes(self, vote_data: Any) -> None:
                for votes in vote_data.values():
                    for vote in votes:
                        vote.confidence /= 2
                super().receive_votes(vote_data)

        lm.__class__ = Halving


def doubling_evidence(monty: Any) -> None:
    """Let learning modules double their evidence where they get votes."""
    for lm in monty.learning_modules:

        class Doubling(type(lm)):  # type: ignore[misc]
            def _update_evidence_with_vote(self, votes: Any, graph_id: str) -> None:
                super()._update_evidence_with_vote(votes, graph_id)
                hypotheses = self._hypotheses[graph_id]
                hypotheses.evidence = hypotheses.evidence * 2

        lm.__class__ = Doubling


class DispatchedVotesTest(unittest.TestCase):
    def run_episode(
        self, change: Callable[[Any], None] | None, *, is_dispatched: bool
    ) -> tuple[list[np.ndarray], list[int]]:
        """Run an episode.

        Returns:
            All evidence at the end, and the number of graphs of each launch of votes.
        """
        monty = RUN.make("numba")
        self.addCleanup(monty.close)
        launches: list[int] = []
        add_votes = HostEngine.add_votes

        def counted(engine: HostEngine, table: Any, votes: Any) -> Any:
            launches.append(len(votes))
            return add_votes(engine, table, votes)

        if change is not None:
            change(monty)
        with ExitStack() as stack:
            stack.enter_context(patch.object(HostEngine, "add_votes", counted))
            if not is_dispatched:
                stack.enter_context(
                    patch.object(graph_matching, "dispatch_votes", lambda *_: None)
                )
            context = RUN.begin(monty)
            for step in range(RUN.steps):
                RUN.step(monty, context, step)
        evidence = [
            np.array(of_graph.evidence)
            for lm in monty.learning_modules
            for of_graph in lm._hypotheses.values()
        ]
        return evidence, launches

    def assert_same_evidence(
        self, change: Callable[[Any], None] | None = None
    ) -> tuple[list[int], list[int]]:
        found, launches = self.run_episode(change, is_dispatched=True)
        expected, single = self.run_episode(change, is_dispatched=False)
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
        self.assertEqual(sum(launches), sum(single))
        self.assertGreater(sum(launches), 3 * RUN.steps)
        return launches, single

    def test_votes_of_a_step_are_one_launch_with_the_same_results(self) -> None:
        launches, single = self.assert_same_evidence()
        self.assertGreater(len(launches), 2)
        self.assertGreater(len(single), len(launches))

    def test_whoever_sends_votes_in_his_own_way_is_asked(self) -> None:
        self.assert_same_evidence(dropping_votes)

    def test_whoever_receives_votes_in_his_own_way_gets_them(self) -> None:
        self.assert_same_evidence(halving_votes)

    def test_whoever_adds_votes_in_his_own_way_adds_them(self) -> None:
        self.assert_same_evidence(doubling_evidence)


if __name__ == "__main__":
    unittest.main()
