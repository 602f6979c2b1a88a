# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import functools
import unittest
from dataclasses import replace
from unittest.mock import patch

import numpy as np
from scipy.spatial.transform import Rotation

from tbp.monty.backends import numba
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.numpy.votes import VotesForGraph, evidence_with_votes
from tbp.monty.backends.stacked.handed_out import MOST_WAITING, HypothesesByGraph
from tbp.monty.backends.stacked.resident_rows import ResidentRows, StaleHypotheses
from tbp.monty.backends.stacked.residents import Residents
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.host_engine import HostEngine
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.segments import COLUMNS, HYPOTHESIS_COLUMNS, SegmentKey
from tests.backends import stacked_numpy
from tests.backends.cuda.host_device import HostStream

KEY = SegmentKey("LM_0", "mug")


def rows(count: int, evidence: float = 0.0) -> HypothesisRows:
    return HypothesisRows(
        evidence=np.full(count, evidence),
        locations=np.arange(3.0 * count).reshape(count, 3),
        poses=np.tile(np.eye(3), (count, 1, 1)),
        possible=np.zeros(count, dtype=bool),
    )


class State:
    rows_class = ResidentRows

    def __init__(self) -> None:
        self.hypotheses: dict = {}


class ResidentsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.table = HypothesisTable()
        self.residents = Residents(self.table, HostEngine(numba))
        self.state = State()
        self.begin()
        self.table.append(self.table.index(KEY), rows(4, evidence=1.0))
        self.end()

    def end(self) -> None:
        self.residents.end_update("lm", None)

    def begin(self) -> HypothesisRows:
        segment = self.table.index(KEY)
        self.residents.begin_update("lm", [segment], ["mug"], self.state)
        return self.table.rows(segment)

    @property
    def hypotheses(self):
        return self.state.hypotheses["mug"]

    def test_arrays_that_were_read_stay_when_the_table_changes(self) -> None:
        evidence = self.hypotheses.evidence
        self.assertIs(self.hypotheses.evidence, evidence)
        self.begin().evidence[:] = 7.0
        np.testing.assert_array_equal(evidence, 1.0)
        self.end()
        np.testing.assert_array_equal(self.hypotheses.evidence, 7.0)

    def test_values_written_into_an_array_reach_the_table(self) -> None:
        self.hypotheses.possible[2] = True
        self.hypotheses.evidence[0] = 5.0
        taken = self.begin()
        self.assertEqual(taken.possible.tolist(), [False, False, True, False])
        self.assertEqual(taken.evidence.tolist(), [5.0, 1.0, 1.0, 1.0])

    def test_a_replaced_array_reaches_the_table(self) -> None:
        # Votes replace the array by a masked one.
        masked = np.ma.array([1.0, 2.0, 3.0, 4.0], mask=False)
        self.hypotheses.evidence = masked
        self.assertEqual(self.begin().evidence.tolist(), [1.0, 2.0, 3.0, 4.0])

    def test_replaced_hypotheses_of_any_number_reach_the_table(self) -> None:
        for count in (4, 2, 9):
            with self.subTest(count):
                self.state.hypotheses["mug"] = rows(count, evidence=3.0)
                taken = self.begin()
                self.assertEqual(taken.evidence.tolist(), [3.0] * count)
                self.end()

    def test_deleted_hypotheses_leave_the_table(self) -> None:
        self.state.hypotheses.clear()
        self.assertEqual(len(self.begin()), 0)

    def test_hypotheses_that_others_hold_keep_their_arrays(self) -> None:
        kept_by_others = self.hypotheses
        self.begin().locations[:] = -1.0
        self.end()
        self.assertIsNot(self.hypotheses, kept_by_others)
        np.testing.assert_array_equal(kept_by_others.locations, rows(4).locations)

    def test_hypotheses_that_others_hold_survive_replacement(self) -> None:
        for instead in ({}, {"mug": rows(4, evidence=3.0)}):
            with self.subTest(instead=instead):
                self.setUp()
                kept_by_others = self.hypotheses
                self.state.hypotheses = dict(instead)
                self.begin()
                np.testing.assert_array_equal(kept_by_others.evidence, np.ones(4))
                np.testing.assert_array_equal(kept_by_others.poses, rows(4).poses)

    def test_reading_during_an_update_is_an_error(self) -> None:
        self.hypotheses.evidence  # noqa: B018, it is read
        self.begin()
        with self.assertRaisesRegex(StaleHypotheses, "evidence .* while"):
            self.hypotheses.evidence  # noqa: B018
        self.end()
        np.testing.assert_array_equal(self.hypotheses.evidence, 1.0)

    def test_the_highest_evidence_is_not_known_during_an_update(self) -> None:
        def known() -> object:
            hypotheses = self.state.hypotheses
            return hypotheses.handed_out.highest_now(["mug"], hypotheses)

        self.residents.end_update("lm", np.array([1.0]))
        self.assertIsNotNone(known())
        self.begin()
        self.assertIsNone(known())

    def test_hypotheses_nobody_read_are_not_written_to_the_table(self) -> None:
        segment = self.table.index(KEY)
        changed = [(segment, "mug")]
        back = functools.partial(
            self.residents.begin_update, "lm", [segment], ["mug"], self.state
        )
        self.assertEqual(back(), [])
        self.end()
        self.hypotheses.evidence  # noqa: B018, it is read
        self.assertEqual(back(), changed)
        self.end()
        self.assertEqual(back(), [])

    def test_a_late_read_gives_the_values_of_its_own_step(self) -> None:
        kept_by_others = []
        for step in range(3):
            self.begin().evidence[:] = step
            self.end()
            kept_by_others.append(self.hypotheses)
        for step, kept in enumerate(kept_by_others):
            np.testing.assert_array_equal(kept.evidence, step)

    def test_hypotheses_nobody_read_move_before_their_update(self) -> None:
        self.state.hypotheses.displace(np.ones(3))
        self.begin()
        [displacements] = self.residents.moves.values()
        np.testing.assert_array_equal(displacements, [np.ones(3)])
        self.end()
        expected = rows(4).locations + 1.0
        np.testing.assert_array_equal(self.hypotheses.locations, expected)

    def test_hypotheses_stay_readable_after_forgetting(self) -> None:
        self.residents.forget()
        self.table.evidence[:] = -1.0
        np.testing.assert_array_equal(self.hypotheses.evidence, 1.0)


def random_rows(rng: np.random.Generator, count: int) -> HypothesisRows:
    poses = Rotation.random(count, random_state=int(rng.integers(1 << 30)))
    return HypothesisRows(
        evidence=rng.normal(size=count),
        locations=rng.normal(size=(count, 3)),
        poses=poses.as_matrix(),
        possible=rng.random(count) < 0.5,
    )


def moved(hypotheses: HypothesisRows, displacement: np.ndarray) -> HypothesisRows:
    """Return displaced hypotheses as learning modules make them, by arrays."""
    locations = hypotheses.locations + hypotheses.poses.dot(displacement)
    return replace(hypotheses, locations=locations)


def displaced(hypotheses, displacement: np.ndarray):
    in_table = isinstance(hypotheses, ResidentRows) and hypotheses.in_table
    how = hypotheses.displaced if in_table else functools.partial(moved, hypotheses)
    return how(displacement)


def assert_same_bits(rows, expected: HypothesisRows, *columns: str) -> None:
    for column in columns:
        read, values = getattr(rows, column), getattr(expected, column)
        assert np.asarray(read).tobytes() == values.tobytes(), column


class Compared:
    """Resident rows of three graphs, and arrays to which the same is done."""

    def __init__(
        self, test: unittest.TestCase, rng: np.random.Generator, engine: Engine
    ) -> None:
        self.test, self.rng = test, rng
        self.table, self.state = engine.make_table(0), State()
        self.residents = Residents(self.table, engine)
        self.names = ["a", "b", "c"]
        self.segments = [self.table.index(SegmentKey("lm", n)) for n in self.names]
        # The same objects for the same graphs, as plans have them.
        self.parts = [(self.segments[:n], self.names[:n]) for n in (1, 2, 3)]
        self.arrays = {n: random_rows(rng, int(rng.integers(1, 400))) for n in "abc"}
        self.state.hypotheses = dict(self.arrays)
        self.held: list[tuple] = []
        self.held_now: set[str] = set()
        self.checked = 0

    def do_anything(self) -> None:
        """Do one thing to the rows of a graph, or of all."""
        actions = (
            *(self.update, self.displace, self.displace, self.displace),
            *(self.hold, self.read, self.write, self.vote, self.read_row, self.assign),
        )
        self.name = self.names[self.rng.integers(3)]
        self.rows, self.expected = (
            self.state.hypotheses[self.name],
            self.arrays[self.name],
        )
        self.column = list(COLUMNS)[self.rng.integers(4)]
        actions[self.rng.integers(len(actions))]()
        rows, expected = self.state.hypotheses[self.name], self.arrays[self.name]
        count = getattr(rows, "count", len(expected))
        self.test.assertEqual(len(expected), count)
        self.check_highest()

    @property
    def is_resident(self) -> bool:
        return isinstance(self.rows, ResidentRows)

    def update(self) -> None:
        # Graphs that sense nothing are not updated with the others.
        many = int(self.rng.integers(1, 4))
        segments, names = self.parts[many - 1]
        self.residents.begin_update("lm", segments, names, self.state)
        for segment, one in zip(segments, names, strict=True):
            change = self.rng.normal(size=len(self.arrays[one]))
            evidence = self.table.read(segment, "evidence") + change
            self.table.write(segment, "evidence", evidence)
            fresh = {n: getattr(self.arrays[one], n).copy() for n in COLUMNS}
            fresh["evidence"] += change
            self.arrays[one] = HypothesisRows(**fresh)
        highest = np.array([self.arrays[one].evidence.max() for one in names])
        self.residents.end_update("lm", highest)
        self.held_now.difference_update(names)

    def displace(self) -> None:
        by, hypotheses = self.rng.normal(size=3), self.state.hypotheses
        at_once = isinstance(hypotheses, HypothesesByGraph) and self.rng.random() < 0.7
        each = hypotheses.displace(by) if at_once else list(hypotheses.items())
        for one, rows in each:
            hypotheses[one] = displaced(rows, by)
        self.arrays = {one: moved(self.arrays[one], by) for one in self.names}

    def hold(self) -> None:
        self.held.append((self.rows, self.expected))
        self.held_now.add(self.name)

    def read(self) -> None:
        assert_same_bits(self.rows, self.expected, self.column)

    def write(self) -> None:
        if self.name not in self.held_now:
            getattr(self.rows, self.column)[0] = 1
            getattr(self.expected, self.column)[0] = 1

    def vote(self) -> None:
        count = int(self.rng.integers(1, 30))
        locations, confidences = self.rng.normal(size=(count, 3)), np.ones(count)
        votes = VotesForGraph(locations, confidences, 1.0, True, distance=0.7)
        expected = self.expected
        evidence = evidence_with_votes(expected.evidence, expected.locations, votes)
        if not (self.is_resident and self.rows.add_votes(votes)):
            object.__setattr__(self.rows, "evidence", evidence.copy())
        object.__setattr__(expected, "evidence", evidence)

    def read_row(self) -> None:
        if not self.is_resident:
            return
        place = self.rng.integers(len(self.expected))
        row = self.rows.hypothesis(place)
        for name, part in zip(HYPOTHESIS_COLUMNS, row, strict=True):
            expected = getattr(self.expected, name)[place]
            self.test.assertEqual(part.tobytes(), expected.tobytes(), name)
        best = int(self.expected.evidence.argmax())
        self.test.assertEqual(self.rows.most_likely, best)

    def assign(self) -> None:
        values = getattr(random_rows(self.rng, len(self.expected)), self.column)
        object.__setattr__(self.rows, self.column, values.copy())
        object.__setattr__(self.expected, self.column, values)

    def check_highest(self) -> None:
        hypotheses = self.state.hypotheses
        handed_out = getattr(hypotheses, "handed_out", None)
        now = handed_out and handed_out.highest_now(self.names, hypotheses)
        if now is not None:
            self.checked += 1
            highest = [self.arrays[name].evidence.max() for name in now[0]]
            np.testing.assert_array_equal(now[1], highest)

    def check_all(self) -> None:
        held = [(self.state.hypotheses[one], self.arrays[one]) for one in self.names]
        for rows, expected in (*self.held, *held):
            assert_same_bits(rows, expected, *COLUMNS)


class DisplacedTest(unittest.TestCase):
    """Displaced rows are what displaced arrays are, whatever is done to them."""

    def test_any_order_of_reading_writing_holding_and_updating(self) -> None:
        self.checked = 0
        for seed in range(60):
            engines = (
                HostEngine(numba),
                HostEngine(stacked_numpy),
                DeviceEngine(HostStream()),
            )
            for i, engine in enumerate(engines):
                with self.subTest(seed=seed, engine=i):
                    self.check(np.random.default_rng(seed), engine)
        self.assertGreater(self.checked, 500, "of the highest evidence")

    def check(self, rng: np.random.Generator, engine: Engine) -> None:
        compared = Compared(self, rng, engine)
        for _ in range(25):
            compared.do_anything()
        compared.check_all()
        self.checked += compared.checked

    def test_what_is_not_read_is_not_copied(self) -> None:
        table, state = HypothesisTable(), State()
        residents = Residents(table, HostEngine(numba))
        segment = table.index(KEY)
        state.hypotheses = {"mug": rows(4)}
        residents.begin_update("lm", [segment], ["mug"], state)
        residents.end_update("lm", np.zeros(1))
        known = state.hypotheses.handed_out
        for _ in range(3):
            state.hypotheses["mug"] = state.hypotheses["mug"].displaced(np.ones(3))
        self.assertEqual(state.hypotheses["mug"].arrays, {})
        self.assertEqual(known.highest_now(["mug"], state.hypotheses)[0], ["mug"])
        self.assertEqual(residents.begin_update("lm", [segment], ["mug"], state), [])
        residents.end_update("lm", None)
        np.testing.assert_array_equal(
            table.rows(segment).locations, rows(4).locations + 3
        )

    def handed_out(self, engine: Engine) -> tuple[Residents, State, int]:
        table, state = engine.make_table(0), State()
        residents = Residents(table, engine)
        segment = table.index(KEY)
        state.hypotheses = {"mug": rows(4)}
        residents.begin_update("lm", [segment], ["mug"], state)
        residents.end_update("lm", None)
        return residents, state, segment

    def test_what_is_displaced_twice_is_kept_twice(self) -> None:
        for engine in (HostEngine(numba), DeviceEngine(HostStream())):
            residents, state, segment = self.handed_out(engine)
            first = state.hypotheses["mug"]
            tries = [first.displaced(np.full(3, by)) for by in (1.0, 2.0, 3.0)]
            state.hypotheses["mug"] = tries[-1]
            residents.begin_update("lm", [segment], ["mug"], state)
            for i, one in enumerate((first, *tries)):
                assert_same_bits(
                    one, moved(rows(4), np.full(3, float(i))), "locations", "evidence"
                )

    def test_what_is_displaced_and_dropped_changes_nothing(self) -> None:
        for engine in (HostEngine(numba), DeviceEngine(HostStream())):
            residents, state, segment = self.handed_out(engine)
            residents.end_update("lm", np.zeros(1))
            state.hypotheses["mug"].displaced(np.ones(3))
            state.hypotheses["mug"].evidence = np.full(4, 7.0)
            handed_out = state.hypotheses.handed_out
            known = handed_out.highest_now(["mug"], state.hypotheses)
            self.assertTrue(known is None or known[1].tolist() == [7.0])
            residents.begin_update("lm", [segment], ["mug"], state)
            taken = residents._table.read(segment, "evidence")
            np.testing.assert_array_equal(taken, 7.0)

    def test_a_column_that_somebody_has_is_not_taken_for_the_displaced_one(
        self,
    ) -> None:
        _, state, _ = self.handed_out(DeviceEngine(HostStream()))
        former = state.hypotheses["mug"]
        now = former.displaced(np.ones(3))
        kept = former.locations
        assert_same_bits(now, moved(rows(4), np.ones(3)), "locations")
        np.testing.assert_array_equal(np.asarray(kept), rows(4).locations)

    def test_what_no_step_has_moved_is_moved_when_it_ends(self) -> None:
        for engine in (HostEngine(numba), DeviceEngine(HostStream())):
            residents, state, segment = self.handed_out(engine)
            state.hypotheses["mug"] = state.hypotheses["mug"].displaced(np.ones(3))
            residents.begin_update("lm", [segment], ["mug"], state)
            self.assertEqual(residents.moves.keys(), {segment})
            with self.assertRaises(StaleHypotheses):
                state.hypotheses["mug"].locations  # noqa: B018
            for _ in range(2):
                residents.end_update("lm", None)
                expected = moved(rows(4), np.ones(3)).locations
                found = residents._table.read(segment, "locations")
                np.testing.assert_array_equal(found, expected)

    def test_nothing_moves_twice_if_an_update_fails_at_once(self) -> None:
        for engine in (HostEngine(numba), DeviceEngine(HostStream())):
            residents, state, segment = self.handed_out(engine)
            state.hypotheses.displace(np.ones(3))
            kept = state.hypotheses["mug"]
            with (
                patch.object(residents._table, "read", side_effect=MemoryError),
                self.assertRaises(MemoryError),
            ):
                residents.begin_update("lm", [segment], ["mug"], state)
            residents.end_update("lm", None)
            expected = moved(rows(4), np.ones(3))
            for one in (state.hypotheses["mug"], kept):
                assert_same_bits(one, expected, "locations")

    def test_what_no_step_has_moved_needs_no_memory_to_move(self) -> None:
        stream = HostStream()
        residents, state, segment = self.handed_out(DeviceEngine(stream))
        state.hypotheses.displace(np.ones(3))
        residents.begin_update("lm", [segment], ["mug"], state)
        with patch.object(stream, "allocate", side_effect=MemoryError):
            residents.end_update("lm", None)
        expected = moved(rows(4), np.ones(3))
        assert_same_bits(state.hypotheses["mug"], expected, "locations")

    def test_many_displacements_do_not_wait(self) -> None:
        residents, state, segment = self.handed_out(HostEngine(numba))
        now = state.hypotheses["mug"]
        for _ in range(3 * MOST_WAITING):
            now = now.displaced(np.ones(3))
            self.assertLessEqual(len(now.displacements), MOST_WAITING)
        state.hypotheses["mug"] = now
        # Of the former ones, only the first and the last existed a moment ago.
        self.assertLessEqual(len(now._handed_out.former), 2)
        self.assertFalse([one for one in now._handed_out.former if one()])
        expected = rows(4).locations + 3 * MOST_WAITING
        np.testing.assert_array_equal(now.locations, expected)
        residents.begin_update("lm", [segment], ["mug"], state)
        taken = residents._table.read(segment, "locations")
        np.testing.assert_array_equal(taken, expected)

    def test_displacing_during_an_update_is_an_error(self) -> None:
        table, state = HypothesisTable(), State()
        residents = Residents(table, HostEngine(numba))
        segment = table.index(KEY)
        residents.begin_update("lm", [segment], ["mug"], state)
        with self.assertRaisesRegex(StaleHypotheses, "locations .* while"):
            state.hypotheses["mug"].displaced(np.ones(3))
