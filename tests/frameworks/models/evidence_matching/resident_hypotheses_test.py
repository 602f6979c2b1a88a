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
from types import SimpleNamespace

import numpy as np

from tbp.monty.backends import numba
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.stacked.resident_rows import StaleHypotheses
from tbp.monty.backends.stacked.residents import Residents
from tbp.monty.backends.tables.host_engine import HostEngine
from tbp.monty.backends.tables.segments import SegmentKey
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)

BY = np.array([1.0, 2.0, 3.0])
VOTES = VotesForGraph(np.zeros((1, 3)), np.ones(1), 1.0, False, 0.1)


def three() -> HypothesisRows:
    poses = np.tile(np.eye(3), (3, 1, 1))
    return HypothesisRows(
        np.array([0.0, 5.0, 2.0]), np.zeros((3, 3)), poses, np.zeros(3, dtype=bool)
    )


class OnlyAtTest(unittest.TestCase):
    def setUp(self) -> None:
        engine = HostEngine(numba)
        table = engine.make_table(0)
        graph_ids = ["mug", "cup"]
        keys = [SegmentKey("LM_0", graph_id) for graph_id in graph_ids]
        self.segments = table.indices(keys)
        self.residents = Residents(table, engine)
        self.state = SimpleNamespace(
            hypotheses={graph_id: three() for graph_id in graph_ids},
            rows_class=ResidentHypotheses,
        )
        self.residents.begin_update("LM_0", self.segments, graph_ids, self.state)
        self.residents.end_update("LM_0", self.segments, graph_ids, None)
        self.rows: ResidentHypotheses = self.state.hypotheses["mug"]

    def test_a_hypothesis_is_read_once_while_it_stays_as_it_is(self) -> None:
        first = self.rows.only_at(1)
        self.assertEqual(first.evidence[1], 5.0)
        self.assertIs(self.rows.only_at(1), first)

    def test_another_one_is_read(self) -> None:
        self.rows.only_at(1)
        self.assertEqual(self.rows.only_at(2).evidence[2], 2.0)

    def test_what_is_written_to_an_array_is_read(self) -> None:
        self.rows.only_at(1)
        self.rows.locations[1] = BY
        self.assertEqual(self.rows.only_at(1).locations[1].tolist(), BY.tolist())
        self.rows.locations[1] = 2 * BY
        self.assertEqual(self.rows.only_at(1).locations[1].tolist(), [2, 4, 6])

    def test_an_array_that_is_assigned_is_read(self) -> None:
        self.rows.only_at(1)
        self.rows.evidence = np.arange(3.0)
        self.assertEqual(self.rows.only_at(1).evidence[1], 1.0)

    def test_votes_are_read(self) -> None:
        self.rows.only_at(1)
        self.assertTrue(self.rows.add_votes(VOTES))
        self.assertEqual(self.rows.only_at(1).evidence[1], 6.0)

    def test_a_displaced_location_is_read(self) -> None:
        self.rows.only_at(1)
        self.state.hypotheses.displace(BY)
        displaced = self.state.hypotheses["mug"]
        self.assertEqual(displaced.only_at(1).locations[1].tolist(), BY.tolist())
        self.assertEqual(self.rows.only_at(1).locations[1].tolist(), [0, 0, 0])

    def test_nothing_is_read_while_it_is_updated(self) -> None:
        cup = self.state.hypotheses["cup"]
        for rows in (self.rows, cup):
            rows.only_at(1)
        self.residents.begin_update("LM_0", self.segments[:1], ["mug"], self.state)
        for rows in (self.state.hypotheses["mug"], cup):
            with self.assertRaises(StaleHypotheses):
                rows.only_at(1)
        # Whoever kept those of before has a copy.
        self.assertEqual(self.rows.only_at(1).evidence[1], 5.0)


if __name__ == "__main__":
    unittest.main()
