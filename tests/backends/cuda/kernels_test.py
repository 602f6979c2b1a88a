# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The CUDA kernels compute what the numpy implementation does, to the last bit.

Their source is compiled for the CPU here, so that the tests need no GPU.
"""

from __future__ import annotations

import copy
import unittest
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tbp.monty.backends.device.constants import SIDES
from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.numpy.new_hypotheses import best_nodes
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.tables.engine import NO_HYPOTHESES, NewHypotheses, Sample
from tbp.monty.backends.tables.segments import COLUMNS
from tests.backends import stacked_numpy
from tests.backends.cuda.host_device import HostStream
from tests.backends.kernel_works import kernel_work
from tests.backends.scenes import (
    Scene,
    build,
    on_a_lattice,
    random_frames,
    random_scene,
    scenes,
    without_nodes,
)

RESULTS = ("highest", "most_likely", "prediction_error", "tested")


def bits(array: np.ndarray) -> np.ndarray:
    # Only the sign of a zero may differ.
    return (np.asarray(array, dtype=np.float64) + 0.0).view(np.int64)


def on_device(engine: DeviceEngine, table):
    """Return a copy of a table on the device of an engine."""
    copied = engine.make_table(table.window_size)
    for index, key in enumerate(table.keys):
        segment = copied.index(key)
        history = table.history(index) if table.window_size else None
        copied.assign(segment, table.rows(index), history)
    return copied


def second_of(evidence) -> int:
    """Return where the second highest evidence is; -1 if not at exactly one place."""
    if len(evidence) < 2:
        return -1
    places = np.flatnonzero(evidence == np.sort(evidence)[-2])
    return int(places[0]) if len(places) == 1 else -1


class HostKernelTestCase(unittest.TestCase):
    def make_stream(self, real: type = np.float64):
        return HostStream(real)

    def assert_same_rows(self, device, host, columns=COLUMNS) -> None:
        for segment, key in enumerate(host.keys):
            for name in columns:
                np.testing.assert_array_equal(
                    bits(device.read(segment, name)),
                    bits(host.read(segment, name)),
                    f"{name} of {key}",
                )

    def assert_same_history(self, device, host) -> None:
        for segment, key in enumerate(host.keys):
            np.testing.assert_equal(
                device.history(segment), host.history(segment), str(key)
            )

    def assert_equal_to_the_last_bit(self, table, graphs, work, fused=None) -> None:
        engine = DeviceEngine(self.make_stream(), fused)
        device = on_device(engine, table)
        step = engine.begin(device, graphs, work)
        step.update()
        result = step.finish()
        expected = stacked_numpy.update(table, graphs, work, fused=fused)
        self.assert_same_rows(device, table)
        for name in RESULTS:
            np.testing.assert_array_equal(
                bits(getattr(result, name)), bits(getattr(expected, name)), name
            )
        for position, segment in enumerate(work.segments.tolist()):
            rows = table.rows(segment)
            if len(rows):
                best = expected.most_likely[position]
                self.assertEqual(device.most_likely[segment], best)
                second = second_of(rows.evidence)
                found = device.second_most_likely(segment)
                self.assertEqual(found, None if second < 0 else second)
                for place in {best, second} - {-1}:
                    known = device.hypothesis(segment, int(place))
                    for column, part in zip(COLUMNS, known, strict=True):
                        np.testing.assert_array_equal(
                            part, getattr(rows, column)[place]
                        )


class EqualToNumpyTest(HostKernelTestCase):
    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(lms=st.lists(scenes(), min_size=1, max_size=4), fused=st.booleans())
    def test_on_random_stacks_of_learning_modules(
        self, lms: list[Scene], fused: bool
    ) -> None:
        self.assert_equal_when_stacked(lms, fused)

    @pytest.mark.thorough
    @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(lms=st.lists(scenes(), min_size=1, max_size=4), fused=st.booleans())
    def test_on_many_random_stacks_of_learning_modules(
        self, lms: list[Scene], fused: bool
    ) -> None:
        self.assert_equal_when_stacked(lms, fused)

    def assert_equal_when_stacked(self, lms: list[Scene], fused: bool) -> None:
        for i, scene in enumerate(lms):
            scene.name = f"lm_{i}"
        self.assert_equal_to_the_last_bit(*build(lms), fused=fused)

    def test_with_more_nodes_in_the_radius_than_requested_neighbours(self) -> None:
        for neighbors in (1, 3, 10, 64):
            for radius in (0.02, 0.05):
                scene = random_scene(5, nodes=400, hypotheses=300, neighbors=neighbors)
                scene.radius = radius
                self.assert_equal_to_the_last_bit(*build([scene]))

    def test_with_many_nodes_in_a_cell(self) -> None:
        scene = random_scene(
            7, graphs=1, nodes=2000, hypotheses=40, neighbors=5, far_away=0.0
        )
        scene.radius = 0.1
        _, graphs, _ = build([scene])
        self.assertGreater(np.diff(graphs.arrays.cell_starts).max(), 500)
        self.assert_equal_to_the_last_bit(*build([scene]))

    def test_with_many_equally_distant_nodes(self) -> None:
        self.assert_equal_to_the_last_bit(*build([on_a_lattice(6, neighbors=5)]))

    def test_with_an_infinite_curvature(self) -> None:
        scene = random_scene(10, hypotheses=300, far_away=0.0)
        scene.sensed["patch_0"]["curvature"] = np.inf
        self.assert_equal_to_the_last_bit(*build([scene]))

    def test_without_work(self) -> None:
        table, graphs, _ = build([random_scene(1)])
        self.assert_equal_to_the_last_bit(table, graphs, kernel_work([], [], graphs))

    def test_without_any_graphs(self) -> None:
        self.assert_equal_to_the_last_bit(*build([]))

    def test_for_a_graph_without_nodes(self) -> None:
        self.assert_equal_to_the_last_bit(*build([without_nodes()]))

    def test_the_compiler_does_not_fuse_products_and_sums(self) -> None:
        # Perfect matches differ in half of their digits if one dot product is fused.
        scene = random_scene(8, perfect=1.0, hypotheses=1000, nodes=100)
        for fused in (False, True):
            self.assert_equal_to_the_last_bit(*build([scene]), fused=fused)


class UnusableNumbersTest(HostKernelTestCase):
    def test_in_a_hypothesis_leave_everything_unchanged(self) -> None:
        for name in ("evidence", "locations", "poses"):
            for value in (np.nan, np.inf, 1e200):
                with self.subTest(name=name, value=value):
                    scene = random_scene(3, name="left", graphs=3, hypotheses=200)
                    rows = scene.hypotheses["object_2"]
                    getattr(rows, name)[7] = value
                    table, graphs, work = build([scene])
                    engine = DeviceEngine(self.make_stream())
                    device = on_device(engine, table)
                    step = engine.begin(device, graphs, work)
                    step.update()
                    where = "'left', graph 'object_2': hypothesis 7 of"
                    with self.assertRaisesRegex(
                        UnusableNumbers, f"{where} .*: {name} must be finite"
                    ):
                        step.finish()
                    self.assert_same_rows(device, table)

    def test_in_a_sensed_feature_are_named(self) -> None:
        scene = random_scene(3, name="left", graphs=3, hypotheses=200, far_away=0.0)
        scene.sensed["patch_0"]["hsv"] = np.array([np.nan, 0.5, 0.5])
        table, graphs, work = build([scene])
        engine = DeviceEngine(self.make_stream())
        step = engine.begin(on_device(engine, table), graphs, work)
        step.update()
        with self.assertRaisesRegex(UnusableNumbers, "'left'.* features sensed"):
            step.finish()


class SecondMostLikelyTest(HostKernelTestCase):
    def test_is_found_unless_others_are_as_likely(self) -> None:
        random = np.random.default_rng(0)
        found = Counter()
        for count in (1, 2, 3, 40, 300, 700):
            for values in (2, 40, 10**9):
                scene = random_scene(count, graphs=2, nodes=20, hypotheses=count)
                table, graphs, work = build([scene])
                engine = DeviceEngine(self.make_stream())
                device = on_device(engine, table)
                step = engine.begin(device, graphs, work)
                step.update()
                for segment in work.segments.tolist():
                    # Of what was just written; rounded, so that some are equal.
                    device.sides[segment] ^= SIDES["evidence"]
                    size = int(device.counts[segment])
                    evidence = random.integers(values, size=size).astype(float)
                    device._write(segment, "evidence", evidence)
                    device.sides[segment] ^= SIDES["evidence"]
                step._are_found = False  # evidence has changed
                step.finish()
                for segment in work.segments.tolist():
                    evidence = device.read(segment, "evidence")
                    second = second_of(evidence)
                    known = device.second_most_likely(segment)
                    self.assertEqual(known, None if second < 0 else second)
                    found[known is None] += 1
                    if known is not None:
                        self.assertEqual(known, np.argsort(evidence)[-2])
                        row = device.hypothesis(segment, known)
                        for column, part in zip(COLUMNS, row, strict=True):
                            np.testing.assert_array_equal(
                                part, device.read(segment, column)[known]
                            )
                    device.write(segment, "evidence", evidence + 1)
                    self.assertIsNone(device.second_most_likely(segment))
        self.assertGreater(min(found.values()), 5)


class BurstSamplingTest(HostKernelTestCase):
    """Several steps in which hypotheses are added and removed."""

    def test_is_equal_to_the_last_bit(self) -> None:
        random = np.random.default_rng(0)
        scene = random_scene(9, graphs=3, nodes=150, hypotheses=200, channels=2)
        table, graphs, work = build([scene], window_size=10)
        engine = DeviceEngine(self.make_stream())
        device = on_device(engine, table)
        segments = work.segments.tolist()
        for count in range(14):
            least_slopes = random.normal(size=len(segments)) * 0.3
            new = self._new(random, graphs, work) if count % 3 == 0 else NO_HYPOTHESES
            channels = np.diff(work.match_starts)
            moving, displacement = segments[: count % 4], random.normal(size=3)
            if moving:
                stacked_numpy.displace(table, moving, displacement)
                engine.displace(device, moving, displacement)

            before = device
            device = before.fork()
            step = engine.begin(device, graphs, work, new)
            step.delete_declining(least_slopes)
            step.update()
            step.append()
            step.record()
            result = step.finish()
            # Until then, nothing has happened to what the table is a fork of.
            self.assert_same_rows(before, table, (*COLUMNS, "slopes", "ages"))
            self.assert_same_history(before, table)

            deleted = stacked_numpy.delete_declining(table, segments, least_slopes)
            stacked_numpy.update(table, graphs, work)
            scores = stacked_numpy.score_nodes(graphs, work)
            stacked_numpy.append_samples(
                table, graphs, list(self._samples(new, graphs, work, scores))
            )
            stacked_numpy.record(table, segments, channels)

            np.testing.assert_array_equal(device.counts, table.counts)
            self.assert_same_rows(device, table, (*COLUMNS, "slopes", "ages"))
            self.assert_same_history(device, table)
            highest, first = stacked_numpy.most_likely(table, segments)
            np.testing.assert_array_equal(result.highest, highest)
            np.testing.assert_array_equal(result.most_likely, first)
            for position, segment in enumerate(segments):
                np.testing.assert_array_equal(step.deleted(position), deleted[position])
                self.assertEqual(
                    device.highest_slope([segment]),
                    table.highest_slope([segment]),
                )
        self.assertGreater(table.counts.sum(), 0)

    def _new(self, random, graphs, work) -> NewHypotheses:
        count = len(work.match_graphs)
        matches = np.arange(count)
        node_counts = graphs.node_counts[work.match_graphs]
        are_best = random.choice([False, True], size=count)
        channels = np.diff(work.match_starts)
        return NewHypotheses(
            positions=np.repeat(np.arange(len(channels)), channels),
            matches=matches,
            node_counts=np.where(are_best, node_counts // 2, node_counts),
            are_best=are_best,
            poses=random_frames(random, 2 * count),
            pose_starts=2 * matches,
            pose_counts=np.full(count, 2),
            # Those of the first channel.
            are_aligned=np.isin(matches, work.match_starts),
            head_starts=random.normal(size=count),
        )

    def _samples(self, new, graphs, work, scores) -> Iterator[Sample]:
        for i, match in enumerate(new.matches.tolist()):
            graph = int(work.match_graphs[match])
            node_count = int(graphs.node_counts[graph])
            of_nodes = work.of_match(match, scores, node_count)
            first = new.pose_starts[i]
            yield Sample(
                segment=int(work.segments[new.positions[i]]),
                graph=graph,
                nodes=best_nodes(of_nodes, new.node_counts[i])
                if new.are_best[i]
                else np.arange(node_count),
                scores=of_nodes,
                poses=new.poses[first : first + new.pose_counts[i]],
                is_aligned=bool(new.are_aligned[i]),
                head_start=float(new.head_starts[i]),
            )


class ChosenNodesTest(HostKernelTestCase):
    """New hypotheses are of the nodes that numpy's sort would choose, in its order."""

    graphs = 2
    most_nodes = 300
    times = 4

    def test_where_no_scores_are_equal(self) -> None:
        self.assert_chosen_as_numpy_does(
            lambda random, count: random.normal(size=count)
        )

    def test_where_some_scores_are_equal(self) -> None:
        def scores_of(random: np.random.Generator, count: int) -> np.ndarray:
            # From few equal ones, seldom among the best, to hardly any different ones.
            return random.uniform(size=count).round(random.integers(5))

        self.assert_chosen_as_numpy_does(scores_of)

    def test_where_zeros_have_both_signs(self) -> None:
        def scores_of(random: np.random.Generator, count: int) -> np.ndarray:
            scores = random.normal(size=count)
            is_zero = random.random(count) < random.choice([0.01, 0.3])
            scores[is_zero] = random.choice([0.0, -0.0], is_zero.sum())
            return scores

        self.assert_chosen_as_numpy_does(scores_of)

    def test_where_scores_are_nan_or_infinite(self) -> None:
        def scores_of(random: np.random.Generator, count: int) -> np.ndarray:
            scores = random.normal(size=count)
            for value in (np.nan, -np.nan, np.inf, -np.inf):
                scores[random.integers(count, size=random.integers(3))] = value
            return scores

        self.assert_chosen_as_numpy_does(scores_of)

    def test_in_single_precision(self) -> None:
        def scores_of(random: np.random.Generator, count: int) -> np.ndarray:
            return random.uniform(size=count).round(random.choice([2, 9]))

        self.assert_chosen_as_numpy_does(scores_of, np.float32)

    def test_fetches_a_number_per_graph_and_only_scores_with_equals(self) -> None:
        scene = random_scene(2, graphs=3, nodes=self.most_nodes, hypotheses=0)
        table, graphs, work = build([scene])
        engine = DeviceEngine(self.make_stream())
        random = np.random.default_rng(0)
        scores = [random.permutation(int(n)) * 1.0 for n in graphs.node_counts]
        notes, bests = 8 * len(scores), [1] * len(scores)
        _, fetched = self._choose(engine, (table, graphs, work), scores, bests)
        self.assertEqual(fetched, notes)
        scores[1][:] = 1.0
        _, fetched = self._choose(engine, (table, graphs, work), scores, bests)
        self.assertEqual(fetched, notes + scores[1].nbytes)

    def assert_chosen_as_numpy_does(self, scores_of, real: type = np.float64) -> None:
        sizes = dict(graphs=self.graphs, nodes=self.most_nodes, hypotheses=5)
        table, graphs, work = build(
            [random_scene(0, "a", **sizes), random_scene(1, "b", features=(), **sizes)]
        )
        engine = DeviceEngine(self.make_stream(real))
        node_counts = graphs.node_counts[work.match_graphs].tolist()
        for seed in range(self.times):
            random = np.random.default_rng(seed)
            scores = [
                np.zeros(count) if start < 0 else scores_of(random, count).astype(real)
                for start, count in zip(work.score_starts, node_counts, strict=True)
            ]
            bests = [random.choice([1, -(-n // 5), n]) for n in node_counts]
            device, _ = self._choose(engine, (table, graphs, work), scores, bests)
            for i, best in enumerate(bests):
                nodes = best_nodes(scores[i].astype(np.float64), best)
                places = graphs.graph(int(work.match_graphs[i])).locations[nodes]
                segment = int(work.segments[i])
                np.testing.assert_array_equal(
                    device.read(segment, "locations")[int(table.counts[segment]) :],
                    places.astype(real),
                )

    def _choose(self, engine, built, scores, bests):
        """Return a table with new hypotheses, and how many bytes choosing fetched."""
        table, graphs, work = built
        each = np.arange(len(scores))
        new = NewHypotheses(
            positions=each,
            matches=each,
            node_counts=np.array(bests),
            are_best=np.ones(len(each), dtype=np.bool_),
            poses=np.eye(3)[np.newaxis],
            pose_starts=np.zeros_like(each),
            pose_counts=np.ones_like(each),
            are_aligned=np.ones(len(each), dtype=np.bool_),
            head_starts=np.zeros(len(each)),
        )
        device = on_device(engine, table)
        step = engine.begin(device, graphs, work, new)
        step.update()
        stream = engine.stream
        values = np.concatenate(scores)[: work.score_count].astype(stream.real)
        stream.send(engine.rooms.room("scores", 0), values.tobytes())
        before = stream.moved.from_device
        step.append()
        fetched = stream.moved.from_device - before
        step.finish()
        return device, fetched


class SinglePrecisionTest(HostKernelTestCase):
    def test_agrees_except_at_the_edge_of_the_radius(self) -> None:
        scene = random_scene(
            11, graphs=3, nodes=200, hypotheses=400, perfect=0.0, neighbors=10
        )
        table, graphs, work = build([scene])
        engine = DeviceEngine(self.make_stream(np.float32))
        device = on_device(engine, copy.deepcopy(table))
        step = engine.begin(device, graphs, work)
        step.update()
        step.finish()
        stacked_numpy.update(table, graphs, work)
        for segment in range(len(table)):
            wanted = table.read(segment, "evidence")
            difference = np.abs(device.read(segment, "evidence") - wanted)
            is_close = difference <= 1e-5 * np.maximum(1, np.abs(wanted))
            # A node at the very edge of the radius may count or not.
            self.assertGreater(is_close.mean(), 0.99)


if __name__ == "__main__":
    unittest.main()
