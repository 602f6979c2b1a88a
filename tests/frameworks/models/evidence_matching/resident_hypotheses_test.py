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
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.spatial.transform import Rotation

from tbp.monty.backends import numba
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.stacked.handed_out import MOST_WAITING, HypothesesByGraph
from tbp.monty.backends.stacked.resident_rows import StaleHypotheses
from tbp.monty.backends.stacked.residents import Residents
from tbp.monty.backends.tables.host_engine import HostEngine
from tbp.monty.backends.tables.segments import Hypothesis, SegmentKey
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.known_evidence import (
    how_many,
    known_evidence,
    most_likely,
    one_at,
    second_most_likely,
)
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)

GRAPHS = ["mug", "cup"]
BY = np.array([1.0, 2.0, 3.0])
VOTES = VotesForGraph(np.zeros((1, 3)), np.ones(1), 1.0, False, 0.1)


def three() -> HypothesisRows:
    poses = np.tile(np.eye(3), (3, 1, 1))
    return HypothesisRows(
        np.array([0.0, 5.0, 2.0]), np.zeros((3, 3)), poses, np.zeros(3, dtype=bool)
    )


class ResidentTestCase(unittest.TestCase):
    def setUp(self) -> None:
        engine = HostEngine(numba)
        table = engine.make_table(0)
        keys = [SegmentKey("LM_0", graph_id) for graph_id in GRAPHS]
        self.segments = table.indices(keys)
        self.residents = Residents(table, engine)
        self.state = SimpleNamespace(
            hypotheses={graph_id: three() for graph_id in GRAPHS},
            rows_class=ResidentHypotheses,
        )
        self.residents.begin_update("LM_0", self.segments, GRAPHS, self.state)
        self.residents.end_update("LM_0", None)

    def displace(self, by: np.ndarray) -> None:
        """Displace the hypotheses of all graphs, as a learning module does."""
        hypotheses = self.state.hypotheses
        for graph_id, rows in hypotheses.displace(by):
            hypotheses[graph_id] = rows.displaced(by)


class OneHypothesisTest(ResidentTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.rows: ResidentHypotheses = self.state.hypotheses["mug"]

    def test_a_hypothesis_is_read_once_while_it_stays_as_it_is(self) -> None:
        first = self.rows.hypothesis(1)
        self.assertEqual(first.evidence, 5.0)
        self.assertIs(self.rows.hypothesis(1), first)

    def test_another_one_is_read(self) -> None:
        self.rows.hypothesis(1)
        self.assertEqual(self.rows.hypothesis(2).evidence, 2.0)

    def test_what_is_written_to_an_array_is_read(self) -> None:
        self.rows.hypothesis(1)
        self.rows.locations[1] = BY
        self.assertEqual(self.rows.hypothesis(1).location.tolist(), BY.tolist())
        self.rows.locations[1] = 2 * BY
        self.assertEqual(self.rows.hypothesis(1).location.tolist(), [2, 4, 6])

    def test_an_array_that_is_assigned_is_read(self) -> None:
        self.rows.hypothesis(1)
        self.rows.evidence = np.arange(3.0)
        self.assertEqual(self.rows.hypothesis(1).evidence, 1.0)

    def test_votes_are_read(self) -> None:
        self.rows.hypothesis(1)
        self.assertTrue(self.rows.add_votes(VOTES))
        self.assertEqual(self.rows.hypothesis(1).evidence, 6.0)

    def test_a_displaced_location_is_read(self) -> None:
        self.rows.hypothesis(1)
        self.state.hypotheses.displace(BY)
        displaced = self.state.hypotheses["mug"]
        self.assertEqual(displaced.hypothesis(1).location.tolist(), BY.tolist())
        self.assertEqual(self.rows.hypothesis(1).location.tolist(), [0, 0, 0])

    def test_a_location_is_displaced_by_what_is_new(self) -> None:
        by, expected = 0.1 * BY, np.full((3, 3), 1 / 3)
        poses = Rotation.random(3, random_state=0).as_matrix()
        for column, values in (("locations", expected), ("poses", poses)):
            self.rows._table.write(self.segments[0], column, values)
        self.rows.hypothesis(1)
        for step in range(2 * MOST_WAITING):
            self.displace(by)
            expected = expected + poses.dot(by)
            if step % 3:  # on others nobody reads it
                found = self.state.hypotheses["mug"].hypothesis(1)
                self.assertEqual(found.location.tolist(), expected[1].tolist())
                self.assertEqual(found.evidence, 5.0)
        self.assertEqual(self.rows.hypothesis(1).location.tolist(), [1 / 3] * 3)

    def test_only_what_is_new_is_displaced(self) -> None:
        self.rows.hypothesis(1)
        for _ in range(3):
            self.displace(BY)
            with patch.object(self.rows._table, "hypothesis") as read_anew:
                self.state.hypotheses["mug"].hypothesis(1)
            read_anew.assert_not_called()

    def test_displaced_hypotheses_are_read_after_they_were_changed(self) -> None:
        self.rows.hypothesis(1)
        self.displace(BY)
        displaced = self.state.hypotheses["mug"]
        displaced.locations[1] = 5 * BY
        self.displace(BY)
        again = self.state.hypotheses["mug"]
        self.assertEqual(again.hypothesis(1).location.tolist(), (6 * BY).tolist())
        self.assertEqual(displaced.hypothesis(1).location.tolist(), [5, 10, 15])

    def test_votes_for_displaced_hypotheses_are_read(self) -> None:
        self.displace(BY)
        displaced = self.state.hypotheses["mug"]
        displaced.hypothesis(1)
        votes = VotesForGraph(BY[np.newaxis], np.ones(1), 1.0, False, 0.1)
        self.assertTrue(displaced.add_votes(votes))
        self.displace(BY)
        only = self.state.hypotheses["mug"].hypothesis(1)
        self.assertEqual(only.evidence, 6.0)
        self.assertEqual(only.location.tolist(), (2 * BY).tolist())

    def test_nothing_is_read_while_it_is_updated(self) -> None:
        cup = self.state.hypotheses["cup"]
        for rows in (self.rows, cup):
            rows.hypothesis(1)
        self.residents.begin_update("LM_0", self.segments[:1], ["mug"], self.state)
        for rows in (self.state.hypotheses["mug"], cup):
            with self.assertRaises(StaleHypotheses):
                rows.hypothesis(1)
        # Whoever kept those of before has a copy.
        self.assertEqual(self.rows.hypothesis(1).evidence, 5.0)


class AskTest(ResidentTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.by_graph = self.state.hypotheses

    def ask(self) -> tuple[np.intp | None, Hypothesis, int]:
        lm: Any = SimpleNamespace(_hypotheses=self.by_graph)
        _, best = most_likely(lm, "mug")
        assert best is not None
        found = one_at(self.by_graph, "mug", int(best))
        return best, found, how_many(self.by_graph, "mug")

    def test_nothing_is_handed_out(self) -> None:
        best, found, count = self.ask()
        self.assertEqual((best, found.evidence, count), (1, 5.0, 3))
        self.displace(BY)
        self.assertEqual(self.ask()[1].location.tolist(), BY.tolist())
        self.assertEqual(self.by_graph.not_asked_for(), ["mug", "cup"])
        self.assertEqual(self.by_graph.handed_out.rows, {})
        self.assertEqual(self.by_graph.handed_out.touched, set())

    def test_a_hypothesis_is_read_once_per_update(self) -> None:
        table = self.by_graph.handed_out.table
        search = patch.object(table, "most_likely", wraps=table.most_likely)
        read = patch.object(table, "hypothesis", wraps=table.hypothesis)
        with search as searched, read as read_anew:
            for updates in range(1, 3):
                for _ in range(2):
                    self.assertEqual(self.ask()[0], 1)
                    self.displace(BY)
                self.assertEqual(searched.call_count, updates)
                self.assertEqual(read_anew.call_count, updates)
                self.residents.begin_update("LM_0", self.segments, GRAPHS, self.state)
                self.residents.end_update("LM_0", None)

    def test_the_most_likely_is_where_it_was_displaced_to(self) -> None:
        self.displace(BY)
        self.assertEqual(self.ask()[1].location.tolist(), BY.tolist())

    def test_votes_change_what_is_most_likely(self) -> None:
        rows = self.by_graph["mug"]
        self.assertEqual(self.ask()[0], 1)
        rows.locations = np.array([BY, BY, np.zeros(3)])
        self.assertTrue(rows.add_votes(VOTES._replace(weight=9.0)))
        self.assertEqual(self.ask()[0], 2)

    def test_what_somebody_has_written_or_assigned_is_told(self) -> None:
        self.ask()
        self.displace(BY)
        self.by_graph["mug"].evidence[2] = 7.0
        best, found, _ = self.ask()
        self.assertEqual((best, found.evidence), (2, 7.0))
        self.assertEqual(found.location.tolist(), BY.tolist())
        self.by_graph["mug"].evidence = np.zeros(1)
        self.assertEqual(how_many(self.by_graph, "mug"), 1)
        self.by_graph["mug"] = Hypotheses.empty()
        lm: Any = SimpleNamespace(_hypotheses=self.by_graph)
        self.assertEqual(most_likely(lm, "mug"), ("mug", None))
        self.assertEqual(how_many(self.by_graph, "mug"), 0)

    def test_places_are_counted_from_the_end_too(self) -> None:
        self.assertEqual(one_at(self.by_graph, "mug", -1).evidence, 2.0)
        self.displace(BY)
        self.assertEqual(self.ask()[1].location.tolist(), BY.tolist())

    def test_what_is_written_to_the_highest_evidence_changes_nothing(self) -> None:
        lm: Any = SimpleNamespace(
            _hypotheses=self.by_graph, get_all_known_object_ids=lambda: GRAPHS
        )
        highest = np.array([5.0, 5.0])
        self.residents.begin_update("LM_0", self.segments, GRAPHS, self.state)
        self.residents.end_update("LM_0", highest)
        for _ in range(2):
            known = known_evidence(lm)
            assert known is not None
            self.assertEqual((known[0], known[1].tolist()), (GRAPHS, [5.0, 5.0]))
            known[0].pop()
            known[1][:] = 0

    def test_the_evidence_of_hypotheses_that_were_replaced_is_not_known(self) -> None:
        lm: Any = SimpleNamespace(get_all_known_object_ids=lambda: GRAPHS)
        self.residents.begin_update("LM_0", self.segments, GRAPHS, self.state)
        self.residents.end_update("LM_0", np.array([5.0, 5.0]))
        others = {graph_id: Hypotheses.empty() for graph_id in GRAPHS}
        handed_out = self.by_graph.handed_out
        lm._hypotheses = HypothesesByGraph(others, handed_out, ResidentHypotheses)
        self.assertIsNone(known_evidence(lm))
        lm._hypotheses = self.by_graph
        self.assertEqual(most_likely(lm, None)[0], "mug")
        self.by_graph["cup"] = Hypotheses.empty()
        self.assertIsNone(known_evidence(lm))
        self.assertEqual(most_likely(lm, None), (None, None))

    def test_votes_are_told(self) -> None:
        self.ask()
        self.assertTrue(self.by_graph["mug"].add_votes(VOTES))
        self.assertEqual(self.ask()[1].evidence, 6.0)

    def test_the_second_most_likely_is_found_where_it_is_not_known(self) -> None:
        self.assertEqual(second_most_likely(self.by_graph, "mug"), 2)

    def test_plain_hypotheses_tell_the_same(self) -> None:
        expected = self.ask()
        self.by_graph = {"mug": Hypotheses(*self.by_graph["mug"].__reduce__()[1])}
        found = self.ask()
        self.assertEqual(found[::2], expected[::2])
        for one, other in zip(found[1], expected[1], strict=True):
            self.assertEqual(one.tobytes(), other.tobytes())

    def test_nothing_is_told_while_it_is_updated(self) -> None:
        self.ask()
        self.residents.begin_update("LM_0", self.segments, GRAPHS, self.state)
        with self.assertRaises(StaleHypotheses):
            self.ask()


if __name__ == "__main__":
    unittest.main()
