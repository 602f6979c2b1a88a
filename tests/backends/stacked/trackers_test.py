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

import numpy as np

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.numpy.slopes import WINDOW_SIZE
from tbp.monty.backends.stacked.trackers import SegmentTracker, TrackersByGraph
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.segments import SegmentKey

SLOPES = {"mug": [0.5, np.nan, np.inf], "cup": [-1.0], "new": [np.nan]}


class TrackersByGraphTest(unittest.TestCase):
    def setUp(self) -> None:
        self.table = HypothesisTable(WINDOW_SIZE)
        self.graph_ids = list(SLOPES)
        keys = [SegmentKey("lm", graph_id) for graph_id in SLOPES]
        self.segments = self.table.indices(keys)
        for segment, slopes in zip(self.segments, SLOPES.values(), strict=True):
            count = len(slopes)
            rows = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
            possible = np.zeros(count, dtype=bool)
            self.table.append(segment, HypothesisRows(*rows, possible))
            self.table.write(segment, "slopes", np.array(slopes))
        self.trackers = TrackersByGraph({}, self.table)
        self.trackers.keep(self.graph_ids, self.segments)

    def test_a_tracker_tells_of_its_graph(self) -> None:
        for graph_id, slopes in SLOPES.items():
            tracker = self.trackers[graph_id]
            self.assertEqual(tracker.total_size(), len(slopes))
            np.testing.assert_array_equal(tracker.calculate_slopes(), slopes)

    def test_the_highest_slope_is_that_of_all_graphs(self) -> None:
        self.assertEqual(self.trackers.highest_slope(), 0.5)

    def test_without_finite_slopes_the_highest_is_lower_than_any(self) -> None:
        trackers = TrackersByGraph({}, self.table)
        trackers.keep(["new"], self.segments[2:])
        self.assertEqual(trackers.highest_slope(), -np.inf)

    def test_without_graphs_it_is_lower_than_any(self) -> None:
        self.assertEqual(TrackersByGraph({}, self.table).highest_slope(), -np.inf)

    def test_the_highest_slope_is_not_known_with_a_tracker_of_somebody_else(
        self,
    ) -> None:
        self.trackers["mug"] = object()
        self.assertIsNone(self.trackers.highest_slope())
        with_another = TrackersByGraph({"another": object()}, self.table)
        with_another.keep(self.graph_ids, self.segments)
        self.assertIsNone(with_another.highest_slope())

    def test_trackers_are_kept_until_somebody_replaces_one(self) -> None:
        before = self.trackers["cup"]
        self.trackers.keep(self.graph_ids, self.segments)
        self.assertIs(self.trackers["cup"], before)
        self.trackers["cup"] = None
        self.trackers.keep(self.graph_ids, self.segments)
        self.assertIsInstance(self.trackers["cup"], SegmentTracker)
