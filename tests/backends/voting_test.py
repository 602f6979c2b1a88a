# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Votes and displacements in tables, on each engine, compared with numpy."""

from __future__ import annotations

import unittest
from typing import Any, ClassVar

import numpy as np

import tbp.monty.backends.numba as compiled
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.numba import votes as compiled_votes
from tbp.monty.backends.numpy.evidence import rotated
from tbp.monty.backends.numpy.votes import (
    NEAREST,
    VotesForGraph,
    evidence_with_votes,
)
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.host_engine import HostEngine
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.likely_rows import likely_rows
from tbp.monty.backends.tables.segments import SegmentKey
from tests.backends import stacked_numpy
from tests.backends.cuda.host_device import HostStream


def random_rows(rng: np.random.Generator, count: int, extent: Any) -> HypothesisRows:
    return HypothesisRows(
        evidence=rng.normal(size=count) * 3,
        locations=(rng.random((count, 3)) * 1.4 - 0.2) * extent,
        poses=np.linalg.qr(rng.normal(size=(count, 3, 3)))[0],
        possible=np.zeros(count, dtype=np.bool_),
    )


def random_votes(rng: np.random.Generator, extent: Any) -> VotesForGraph:
    count = int(rng.choice([1, 2, 3, 4, 50, 400]))
    locations = rng.random((count, 3)) * extent
    if rng.random() < 0.3:
        # On a lattice: many are equally near, or at the very edge.
        locations = np.round(locations / extent, 1) * extent
    return VotesForGraph(
        locations,
        rng.random(count) * 2 - 1,
        weight=float(rng.choice([1.0, 0.3])),
        is_bounded=bool(rng.random() < 0.5),
        distance=float(rng.choice([0.1, 0.3, 3.0]) * np.max(extent)),
    )


class VotingTestCase(unittest.TestCase):
    """Sets up; subclasses have the engines."""

    rounds: ClassVar[int] = 100

    def make_engine(self) -> Engine:
        return HostEngine(compiled)

    def setUp(self) -> None:
        self.rng = np.random.default_rng(7)
        self.engine = self.make_engine()
        self.addCleanup(self.engine.close)
        self.table = self.engine.make_table(0)
        self.host = HypothesisTable(0)

    def add_segment(self, rows: HypothesisRows) -> int:
        """Add hypotheses to both tables."""
        key = SegmentKey("learning module", f"graph {len(self.host)}")
        for table in (self.host, self.table):
            table.assign(table.index(key), rows)
        return self.host.index(key)

    def add_by_numpy(self, segment: int, votes: VotesForGraph) -> np.ndarray:
        """Add votes in the table that the engine's is compared with."""
        rows = self.host.rows(segment)
        evidence = evidence_with_votes(rows.evidence, rows.locations, votes)
        self.host.write(segment, "evidence", np.asarray(evidence))
        return evidence

    def assert_highest(self, segment: int) -> int:
        """Check what the table knows of a segment; return the most likely one."""
        self.host.know([segment])
        self.assertTrue(self.table.is_known[segment])
        self.assertEqual(self.table.highest[segment], self.host.highest[segment])
        place = int(self.host.most_likely[segment])
        self.assertEqual(self.table.most_likely[segment], place)
        return place

    def assert_same(self, segment: int) -> None:
        for column in ("evidence", "locations", "poses"):
            np.testing.assert_array_equal(
                self.table.read(segment, column).view(np.int64),
                self.host.read(segment, column).view(np.int64),
                column,
            )


class AddVotesTest(VotingTestCase):
    def test_the_same_bits_as_numpy(self) -> None:
        changed = 0
        for _ in range(self.rounds):
            extent = 10.0 ** self.rng.uniform(-2, 2) * (self.rng.random(3) + 0.01)
            if self.rng.random() < 0.2:
                extent[self.rng.integers(3)] = 1e-30  # in a plane
            count = int(self.rng.choice([1, 3, 40, 300]))
            segment = self.add_segment(random_rows(self.rng, count, extent))
            votes = random_votes(self.rng, extent)
            before = self.host.read(segment, "evidence")
            evidence = self.add_by_numpy(segment, votes)
            self.engine.add_votes(self.table, {segment: votes})
            place = self.assert_highest(segment)
            known = self.table.hypothesis(segment, place)
            self.assertEqual(known.evidence, evidence.max())
            self.assert_same(segment)
            changed += int((evidence != before).sum())
        self.assertGreater(changed, 10 * self.rounds)

    def test_it_adds_to_one_segment_only(self) -> None:
        segments = [self.add_segment(random_rows(self.rng, 9, 1.0)) for _ in range(3)]
        votes = random_votes(self.rng, np.ones(3))
        self.add_by_numpy(segments[1], votes)
        self.engine.add_votes(self.table, {segments[1]: votes})
        for segment in segments:
            self.assert_same(segment)

    def test_many_segments_at_once_as_one_after_the_other(self) -> None:
        counts = self.rng.choice([1, 40, 129, 300], size=12)
        segments = [
            self.add_segment(random_rows(self.rng, int(count), 1.0)) for count in counts
        ]
        votes = {
            segment: random_votes(self.rng, np.ones(3))
            for segment in self.rng.permutation(segments)[:9].tolist()
        }
        for segment, for_graph in votes.items():
            self.add_by_numpy(segment, for_graph)
        self.engine.add_votes(self.table, votes)
        for segment in votes:
            self.assert_highest(segment)
        for segment in segments:
            self.assert_same(segment)

    def test_numbers_that_are_not_finite_are_refused_as_by_the_tree(self) -> None:
        usable = VotesForGraph(np.zeros((2, 3)), np.ones(2), 1.0, True, 1.0)
        of_nan = usable._replace(locations=np.array([[np.nan, 0, 0], [0, 0, 0]]))
        segment = self.add_segment(random_rows(self.rng, 5, 1.0))
        with self.assertRaises(ValueError):
            self.engine.add_votes(self.table, {segment: of_nan})
        rows = random_rows(self.rng, 5, 1.0)
        rows.locations[2, 1] = np.inf
        segment = self.add_segment(rows)
        with self.assertRaises(ValueError):
            self.engine.add_votes(self.table, {segment: usable})
        self.assert_same(segment)

    def test_a_confidence_that_is_no_number_counts_as_none(self) -> None:
        segment = self.add_segment(random_rows(self.rng, 50, 1.0))
        confidences = np.array([np.nan, 0.5, 0.2])
        votes = VotesForGraph(self.rng.random((3, 3)), confidences, 1.0, False, 0.8)
        self.add_by_numpy(segment, votes)
        self.engine.add_votes(self.table, {segment: votes})
        self.assert_same(segment)

    def test_evidence_that_is_no_number_is_the_highest_as_in_numpy(self) -> None:
        rows = random_rows(self.rng, 50, 1.0)
        rows.evidence[7] = np.nan
        segment = self.add_segment(rows)
        votes = random_votes(self.rng, np.ones(3))
        self.add_by_numpy(segment, votes)
        self.engine.add_votes(self.table, {segment: votes})
        self.assertTrue(np.isnan(self.table.highest[segment]))
        self.assertEqual(self.table.most_likely[segment], 7)
        self.assert_same(segment)

    def test_votes_whose_squares_are_infinite_as_in_numpy(self) -> None:
        locations = self.rng.random((3, 3))
        locations[0, 0], locations[1, 0] = 1.6e308, -1.6e308
        votes = VotesForGraph(locations, np.ones(3), 1.0, False, 0.8)
        segment = self.add_segment(random_rows(self.rng, 50, 1.0))
        self.add_by_numpy(segment, votes)
        self.engine.add_votes(self.table, {segment: votes})
        self.assert_same(segment)


class LikelyRowsTest(VotingTestCase):
    def test_as_any_table_finds_them(self) -> None:
        total = 0
        for _ in range(self.rounds // 4):
            many = int(self.rng.integers(1, 6))
            counts = self.rng.choice([0, 1, 40, 700], size=many)
            segments = [
                self.add_segment(random_rows(self.rng, int(count), 1.0))
                for count in counts
            ]
            segments = self.rng.permutation(segments).tolist()
            threshold = self.rng.choice([-2.0, -1.0, 0.0, 0.8, 1.0, 2.0])
            found, expected = (
                find(table, segments, threshold)
                for find, table in (
                    (self.engine.likely_rows, self.table),
                    (likely_rows, self.host),
                )
            )
            for name, values in expected._asdict().items():
                np.testing.assert_array_equal(getattr(found, name), values, name)
            total += len(expected.evidence)
        self.assertGreater(total, 100)


class DisplaceTest(VotingTestCase):
    def test_the_same_bits_as_numpy(self) -> None:
        counts = [3, 0, 500, 129]
        segments = [
            self.add_segment(random_rows(self.rng, count, 1.0)) for count in counts
        ]
        for _ in range(3):
            displacement = self.rng.normal(size=3)
            for segment in segments[1:]:
                rows = self.host.rows(segment)
                moved = rows.locations + rotated(rows.poses, displacement)
                self.host.write(segment, "locations", moved)
            self.engine.displace(self.table, segments[1:], displacement)
        for segment in segments:
            self.assert_same(segment)

    def test_then_the_most_likely_one_is_where_it_was_moved(self) -> None:
        segment = self.add_segment(random_rows(self.rng, 20, 1.0))
        votes = random_votes(self.rng, np.ones(3))
        self.engine.add_votes(self.table, {segment: votes})
        self.engine.displace(self.table, [segment], np.ones(3))
        place = int(self.table.most_likely[segment])
        known = self.table.hypothesis(segment, place)
        locations = self.table.read(segment, "locations")
        np.testing.assert_array_equal(known.location, locations[place])


class InNumpy:
    def make_engine(self) -> Engine:
        return HostEngine(stacked_numpy)


class OnDevice:
    rounds: ClassVar[int] = 40

    def make_stream(self) -> Any:
        return HostStream(np.float64)

    def make_engine(self) -> Engine:
        return DeviceEngine(self.make_stream())


class NumpyAddVotesTest(InNumpy, AddVotesTest):
    pass


class DeviceAddVotesTest(OnDevice, AddVotesTest):
    pass


class DeviceLikelyRowsTest(OnDevice, LikelyRowsTest):
    pass


class DeviceDisplaceTest(OnDevice, DisplaceTest):
    pass


class GridTest(unittest.TestCase):
    def test_the_kernel_finds_as_many_votes_as_count(self) -> None:
        self.assertEqual(NEAREST, 3)  # `_nearest` names each of them.

    def test_a_grid_has_few_cells_wherever_the_votes_are(self) -> None:
        rng = np.random.default_rng(2)
        for extent in ((1, 1, 0), (1, 1, 1e-9), (1e7, 0, 0), (1e30, 1, 1), (0, 0, 0)):
            votes = rng.random((200, 3)) * extent
            for reach in (1e-5, 0.1, 1e9):
                grid = compiled_votes._make_grid(votes, reach)
                self.assertLessEqual(grid.shape.prod(), 1024 + 8 * len(votes))
                self.assertEqual(grid.starts[-1], 27 * len(votes))


if __name__ == "__main__":
    unittest.main()
