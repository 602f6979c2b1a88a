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
from unittest.mock import patch

import numpy as np

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.numba import votes as compiled
from tbp.monty.backends.numpy.votes import ROUNDING, VotesForGraph, evidence_with_votes
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.segments import SegmentKey


class RoundingTest(unittest.TestCase):
    """What rounding may decide is left to the tree of upstream."""

    def is_left_to_the_tree(self, distances: list[float], distance: float) -> bool:
        """Add votes at some distances along an axis to one hypothesis."""
        table = HypothesisTable(0)
        segment = table.index(SegmentKey("learning module", "mug"))
        at_origin = HypothesisRows(
            evidence=np.zeros(1),
            locations=np.zeros((1, 3)),
            poses=np.eye(3)[None],
            possible=np.zeros(1, dtype=np.bool_),
        )
        table.append(segment, at_origin)
        locations = np.zeros((len(distances), 3))
        locations[:, 0] = distances
        confidences = np.linspace(0.1, 0.9, len(distances))
        votes = VotesForGraph(locations, confidences, 1.0, False, distance)
        with patch.object(
            compiled, "evidence_with_votes", side_effect=evidence_with_votes
        ) as tree:
            compiled.add_votes(table, segment, votes)
        return tree.called

    def test_which_of_two_votes_is_the_third(self) -> None:
        for apart, expected in ((ROUNDING / 4, True), (ROUNDING * 4, False)):
            distances = [0.1, 0.2, 0.5, 0.5 * (1 + apart)]
            self.assertIs(self.is_left_to_the_tree(distances, 1.0), expected)

    def test_whether_a_vote_is_too_far(self) -> None:
        for apart, expected in (
            (-ROUNDING / 4, True),
            (ROUNDING / 4, True),
            (-ROUNDING * 4, False),
            (ROUNDING * 4, False),
        ):
            self.assertIs(self.is_left_to_the_tree([1 + apart], 1.0), expected)


if __name__ == "__main__":
    unittest.main()
