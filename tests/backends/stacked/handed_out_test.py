# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a learning module was handed out, and what is known of it."""

from __future__ import annotations

import unittest
from typing import Any
from unittest.mock import Mock

import numpy as np

from tbp.monty.backends.stacked.handed_out import HandedOut, HypothesesByGraph
from tbp.monty.backends.stacked.resident_rows import ResidentRows


class HighestNowTest(unittest.TestCase):
    def setUp(self) -> None:
        self.handed_out = HandedOut(Mock(), Mock(), Mock())
        self.handed_out.graph_ids = self.graph_ids = ["cup", "mug"]
        self.handed_out.updated = [4, 7]
        self.handed_out.updated_set = frozenset((4, 7))
        self.handed_out.segments = {"cup": 4, "mug": 7}
        self.handed_out.highest = np.array([1.0, 2.0])
        self.hypotheses = HypothesesByGraph({}, self.handed_out, ResidentRows)
        self.hypotheses.put_off(self.graph_ids)
        self.handed_out.hypotheses = lambda: self.hypotheses

    def now(self, *graph_ids: str) -> Any:
        ids = list(graph_ids or self.graph_ids)
        found = self.handed_out.highest_now(ids, self.hypotheses)
        return found and (list(found[0]), found[1].tolist())

    def test_it_is_known_of_what_was_updated(self) -> None:
        self.assertEqual(self.now(), (["cup", "mug"], [1.0, 2.0]))

    def test_votes_that_wait_are_added_before(self) -> None:
        def add_votes() -> None:
            self.handed_out.replace_highest(7, 5.0)
            self.handed_out.replace_highest(9, 6.0)  # of another update

        self.handed_out.waiting.add(7)
        self.handed_out.votes.settle.side_effect = add_votes  # type: ignore[attr-defined]
        self.assertEqual(self.now(), (["cup", "mug"], [1.0, 5.0]))

    def test_it_is_not_known_of_other_graphs(self) -> None:
        self.assertIsNone(self.now("cup"))
        self.assertIsNone(self.now("mug", "cup"))
        self.handed_out.graph_ids = self.graph_ids = []
        self.assertIsNone(self.now())

    def test_graphs_without_hypotheses_are_left_out(self) -> None:
        self.handed_out.is_empty = np.array([True, False])
        self.assertEqual(self.now(), (["mug"], [2.0]))
        self.handed_out.is_empty = np.array([True, True])
        self.assertIsNone(self.now())

    def test_evidence_that_was_read_is_read_again(self) -> None:
        rows = self.hypotheses["mug"]
        rows.arrays["evidence"] = np.array([0.5, 3.0])
        self.handed_out.touched.add(7)
        self.assertEqual(self.now(), (["cup", "mug"], [1.0, 3.0]))
        assert self.handed_out.highest is not None
        self.assertEqual(self.handed_out.highest.tolist(), [1.0, 2.0])

    def test_a_displacement_may_be_written_to_afterwards(self) -> None:
        displacement = np.array([1.0, 2.0, 3.0])
        self.hypotheses.displace(displacement)
        displacement[:] = 9.0
        [kept] = self.handed_out.displacements
        self.assertEqual(kept.tolist(), [1.0, 2.0, 3.0])


if __name__ == "__main__":
    unittest.main()
