# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import unittest

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.segments import SegmentKey


def rows(count: int, first: float = 0.0) -> HypothesisRows:
    evidence = first + np.arange(count, dtype=float)
    return HypothesisRows(
        evidence=evidence,
        locations=np.repeat(evidence, 3).reshape(-1, 3),
        poses=np.repeat(evidence, 9).reshape(-1, 3, 3),
        possible=np.zeros(count, dtype=bool),
    )


def key(index: int) -> SegmentKey:
    return SegmentKey("lm", f"object_{index}")


class TableComparedWithLists(RuleBasedStateMachine):
    """Does the same to a table and to plain lists of evidence values and ages."""

    def __init__(self) -> None:
        super().__init__()
        self.table = HypothesisTable(window_size=3)
        self.evidence: list[list[float]] = []
        self.ages: list[list[int]] = []
        self.next = 0.0

    def _some_rows(self, count: int) -> HypothesisRows:
        made = rows(count, self.next)
        self.next += count
        return made

    @rule(segment=st.integers(0, 4), count=st.integers(0, 40))
    def append(self, segment: int, count: int) -> None:
        segment = min(segment, len(self.evidence))
        if segment == len(self.evidence):
            self.evidence.append([])
            self.ages.append([])
        made = self._some_rows(count)
        self.table.append(self.table.index(key(segment)), made)
        self.evidence[segment] += made.evidence.tolist()
        self.ages[segment] += [0] * count

    @rule(segment=st.integers(0, 4), seed=st.integers(0, 9), part=st.floats(0, 1))
    def retain(self, segment: int, seed: int, part: float) -> None:
        if segment < len(self.evidence):
            count = len(self.evidence[segment])
            keep = np.random.default_rng(seed).random(count) < part
            self.table.retain(segment, keep)
            kept = np.flatnonzero(keep)
            self.evidence[segment] = [self.evidence[segment][i] for i in kept]
            self.ages[segment] = [self.ages[segment][i] for i in kept]

    @rule(segment=st.integers(0, 4), count=st.integers(0, 40))
    def assign(self, segment: int, count: int) -> None:
        if segment < len(self.evidence):
            made = self._some_rows(count)
            self.table.assign(segment, made)
            self.ages[segment] = [0] * count
            self.evidence[segment] = made.evidence.tolist()

    @rule(segment=st.integers(0, 4))
    def age(self, segment: int) -> None:
        if segment < len(self.evidence):
            self.table.ages[self.table.segment(segment)] += 1
            self.ages[segment] = [age + 1 for age in self.ages[segment]]

    @rule(segment=st.integers(0, 4), size=st.integers(0, 100))
    def reserve(self, segment: int, size: int) -> None:
        if segment < len(self.evidence):
            self.table.reserve([segment], [size])

    @rule(segment=st.integers(0, 4))
    def clear(self, segment: int) -> None:
        if segment < len(self.evidence):
            self.table.restart([segment])
            self.evidence[segment] = []
            self.ages[segment] = []

    @invariant()
    def is_the_same(self) -> None:
        for segment, expected in enumerate(self.evidence):
            found = self.table.rows(segment)
            assert found.evidence.tolist() == expected
            assert found.locations[:, 2].tolist() == expected
            assert found.poses[:, 2, 2].tolist() == expected
            ages = self.table.ages[self.table.segment(segment)]
            assert ages.tolist() == self.ages[segment]


TableComparedWithLists.TestCase.settings = settings(
    max_examples=60, stateful_step_count=20, deadline=None
)
TableTest = TableComparedWithLists.TestCase


class HypothesisTableTest(unittest.TestCase):
    def test_removing_rows_changes_their_segment_only(self) -> None:
        table = HypothesisTable()
        first, second = table.index(key(0)), table.index(key(1))
        table.append(first, rows(4))
        table.append(second, rows(4))
        table.retain(first, np.ones(4, dtype=bool))
        self.assertEqual(table.rows(first).evidence.tolist(), [0, 1, 2, 3])
        table.retain(first, np.array([True, False, True, True]))
        self.assertEqual(table.rows(first).evidence.tolist(), [0, 2, 3])
        self.assertEqual(table.rows(second).evidence.tolist(), [0, 1, 2, 3])

    def test_growing_step_by_step_copies_each_row_only_a_few_times(self) -> None:
        table = CountingTable()
        segments = [table.index(key(i)) for i in range(20)]
        for _ in range(200):
            for segment in segments:
                table.append(segment, rows(10))
        self.assertLess(table.copied, 20 * int(table.counts.sum()))

    def test_reserved_room_is_used_without_copying(self) -> None:
        table = CountingTable()
        segments = [table.index(key(i)) for i in range(20)]
        table.reserve(segments, [50] * 20)
        for _ in range(5):
            for segment in segments:
                table.append(segment, rows(10))
        self.assertEqual(table.copied, 0)
        self.assertEqual(table.capacity, 20 * 50)

    def test_room_for_no_segment_changes_nothing(self) -> None:
        table = HypothesisTable()
        table.reserve([], [])
        self.assertEqual(table.capacity, 0)

    def test_shrinking_and_growing_again_needs_no_more_room(self) -> None:
        table = HypothesisTable(window_size=10)
        segments = [table.index(key(i)) for i in range(5)]
        table.reserve(segments, [100] * 5)
        capacity = table.capacity
        for _ in range(10):
            for segment in segments:
                table.append(segment, rows(100))
                table.retain(segment, np.zeros(100, dtype=bool))
        self.assertEqual(table.capacity, capacity)

    def test_a_fork_changes_nothing_of_its_table(self) -> None:
        table = HypothesisTable(window_size=3)
        segments = [table.index(key(i)) for i in range(2)]
        for segment in segments:
            table.append(segment, rows(40))
        before = [copy.deepcopy(vars(table.rows(one))) for one in segments]
        fork = table.fork()
        fork.retain(0, np.arange(40) % 3 == 0)
        fork.append(0, rows(300, first=1e3))
        fork.write(1, "locations", np.zeros((40, 3)))
        fork.possible[1] = np.ones(40, dtype=bool)
        fork.index(key(2))
        for segment, expected in zip(segments, before, strict=True):
            np.testing.assert_equal(vars(table.rows(segment)), expected)
        self.assertEqual(len(table), 2)
        self.assertEqual(fork.counts.tolist(), [314, 40, 0])

    def test_a_row_takes_less_than_200_bytes(self) -> None:
        for window_size, most in ((0, 105), (10, 200)):
            row = HypothesisTable(window_size)._row_bytes()
            self.assertLessEqual(sum(row.values()), most)

    def test_restart_forgets_hypotheses_and_updates_but_keeps_room(self) -> None:
        table = HypothesisTable(window_size=3)
        table.append(table.index(key(0)), rows(7))
        table.window_channels[0] = 2.0
        table.restart([0])
        self.assertEqual(len(table.rows(0)), 0)
        self.assertEqual(table.window_channels.tolist(), [[1.0, 1.0, 1.0]])
        self.assertGreaterEqual(table.capacity, 7)


class CountingTable(HypothesisTable):
    """Counts rows that are copied because a segment moves."""

    def __init__(self) -> None:
        super().__init__()
        self.copied = 0

    def _copy_rows(self, indices, starts) -> None:
        self.copied += int(self.counts[indices].sum())
        super()._copy_rows(indices, starts)

    def _move_all_to(self, starts, capacity: int) -> None:
        self.copied += int(self.counts.sum())
        super()._move_all_to(starts, capacity)


if __name__ == "__main__":
    unittest.main()
