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
import pytest

from tbp.monty.backends import numba as numba_kernels
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.numpy.burst_sampling_update import sample_count
from tbp.monty.backends.numpy.new_hypotheses import best_nodes, sensed_frames
from tbp.monty.backends.numpy.slopes import WINDOW_SIZE
from tbp.monty.backends.tables.engine import Sample
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import KernelWork
from tbp.monty.backends.tables.segments import SegmentKey
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.evidence_slope_tracker import (
    EvidenceSlopeTracker,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tests.backends import stacked_numpy
from tests.backends.kernel_works import SegmentWork, kernel_work, matches_of
from tests.backends.numpy.backend_test import updater_of
from tests.backends.numpy.upstream import sensed_features
from tests.backends.scenes import (
    Scene,
    build,
    query_of,
    random_frames,
    random_scene,
)

SAMPLING = dict(sampling_multiplier=0.9, deletion_trigger_slope=0.3)
BURST_TRIGGER_SLOPE = 0.6
BURST_STEPS = 5


BACKENDS = dict(numpy=stacked_numpy, numba=numba_kernels)


def fresh_rows(evidence: np.ndarray) -> HypothesisRows:
    count = len(evidence)
    return HypothesisRows(
        evidence=evidence,
        locations=np.zeros((count, 3)),
        poses=np.zeros((count, 3, 3)),
        possible=np.zeros(count, dtype=bool),
    )


class RecordTest(unittest.TestCase):
    def test_slopes_and_ages_are_those_of_upstreams_tracker(self) -> None:
        for name, backend in BACKENDS.items():
            with self.subTest(backend=name):
                self.assert_follows_tracker(backend)

    def assert_follows_tracker(self, backend) -> None:
        random = np.random.default_rng(0)
        tables = HypothesisTable(WINDOW_SIZE)
        segment = tables.index(SegmentKey("lm", "mug"))
        other = tables.index(SegmentKey("lm", "cup"))
        tables.append(other, fresh_rows(random.normal(size=5)))
        tracker = EvidenceSlopeTracker()
        for step in range(40):
            new = int(random.integers(6)) if step % 3 == 0 else 0
            tables.append(segment, fresh_rows(np.zeros(new)))
            tracker.add_hyp(new)
            count = tracker.total_size()
            evidence = random.normal(size=count) * 3
            channels = int(random.integers(1, 4))
            tables.write(segment, "evidence", evidence)
            backend.record(tables, [segment], [channels])
            tracker.update(evidence, channels)

            rows = tables.segment(segment)
            np.testing.assert_array_equal(
                tables.slopes[rows], tracker.calculate_slopes()
            )
            np.testing.assert_array_equal(tables.ages[rows], tracker.hyp_ages())

            selection = tracker.select_hypotheses(-0.3)
            removed, _ = backend.delete_declining(tables, [segment, other], [-0.3] * 2)
            np.testing.assert_array_equal(removed, selection.ids_to_remove)
            tracker.remove_hyp(selection.ids_to_remove)
        self.assertEqual(tables.counts[other], 5)
        self.assertTrue(np.isnan(tables.slopes[tables.segment(other)]).all())

    def test_a_segment_without_hypotheses_is_recorded_too(self) -> None:
        for backend in BACKENDS.values():
            table = HypothesisTable(4)
            segment = table.index(SegmentKey("lm", "mug"))
            backend.record(table, [segment], [3])
            self.assertEqual(table.window_channels[segment].tolist(), [1, 3, 1, 1])


class WholeUpdaterTest(unittest.TestCase):
    """The pieces, combined as in an updater, compared with upstream's updater."""

    def test_runs_as_upstream_does(self) -> None:
        self.assert_same_runs(range(1))

    @pytest.mark.thorough
    def test_more_runs_are_as_upstreams(self) -> None:
        self.assert_same_runs(range(1, 10))

    def assert_same_runs(self, seeds: range) -> None:
        for seed in seeds:
            for name, backend in BACKENDS.items():
                with self.subTest(seed=seed, backend=name):
                    self.assert_same_run(seed, backend)

    def assert_same_run(self, seed: int, backend) -> None:
        random = np.random.default_rng(seed)
        scene = random_scene(
            seed, channels=2, graphs=3, nodes=120, hypotheses=0, neighbors=5
        )
        theirs = updater_of(
            scene,
            BurstSamplingHypothesesUpdater,
            include_telemetry=True,
            burst_trigger_slope=BURST_TRIGGER_SLOPE,
            **SAMPLING,
        )
        hypotheses = {graph: Hypotheses.empty() for graph in scene.hypotheses}
        ours = PiecesTogether(scene, backend, **SAMPLING)
        sizes = set()
        for step in range(25):
            sense_something_else(scene, random)
            displacement = random.normal(size=3) * 0.004 if step else None
            telemetry = {}
            with theirs:
                for graph, existing in list(hypotheses.items()):
                    moved = theirs.displace_hypotheses(existing, displacement, graph)
                    hypotheses[graph], telemetry[graph] = theirs.update_evidence(
                        moved, sensed_features(scene), graph, -np.inf
                    )
            removed = ours.step(displacement)
            np.testing.assert_allclose(ours.highest, theirs.max_slope, rtol=1e-12)
            for index, (graph, expected) in enumerate(hypotheses.items()):
                rows = ours.table.rows(index)
                sizes.add(len(rows))
                np.testing.assert_array_equal(
                    removed[index], telemetry[graph]["removed_ids"]
                )
                np.testing.assert_array_equal(rows.locations, expected.locations)
                np.testing.assert_array_equal(rows.poses, expected.poses)
                np.testing.assert_allclose(
                    rows.evidence, expected.evidence, rtol=1e-12, atol=1e-12
                )
                place = ours.table.segment(index)
                np.testing.assert_array_equal(
                    ours.table.ages[place], telemetry[graph]["ages"]
                )
        self.assertGreater(len(sizes), 10, "hypotheses should come and go")


class PiecesTogether:
    """Burst sampling for one learning module."""

    def __init__(
        self, scene: Scene, backend, sampling_multiplier, deletion_trigger_slope
    ) -> None:
        self.scene = scene
        self.backend = backend
        self.multiplier = sampling_multiplier
        self.least_slope = deletion_trigger_slope
        self.burst_steps_left = 0
        self.table, self.graphs, _ = build([scene], WINDOW_SIZE)
        self.highest = -np.inf

    def step(self, displacement) -> list[np.ndarray]:
        table = self.table
        segments = range(len(table))
        self.highest = table.highest_slope(segments)
        if self.burst_steps_left == 0 and self.highest <= BURST_TRIGGER_SLOPE:
            self.burst_steps_left = BURST_STEPS
        removed = self.backend.delete_declining(
            table, segments, [self.least_slope] * len(table)
        )
        work = self.work(displacement)
        scores = self.backend.score_nodes(self.graphs, work)
        self.backend.update(table, self.graphs, work, scores)
        if self.burst_steps_left:
            self.backend.append_samples(
                table,
                self.graphs,
                [
                    new
                    for position in segments
                    for new in self.new(work, scores, position)
                ],
            )
        channels = np.diff(work.match_starts)
        self.backend.record(table, segments, channels)
        self.burst_steps_left = max(0, self.burst_steps_left - 1)
        return removed

    def work(self, displacement) -> KernelWork:
        channels = list(self.scene.sensed)
        segments = [
            SegmentWork(
                segment,
                [
                    (self.graphs.index(("lm", key.graph, channel)), query)
                    for query, channel in enumerate(channels)
                    if (key.graph, channel) in self.scene.nodes
                ],
                displacement,
                past_weight=self.scene.past_weight,
                present_weight=self.scene.present_weight,
            )
            for segment, key in enumerate(self.table.keys)
        ]
        queries = [query_of(self.scene, channel) for channel in channels]
        return kernel_work(queries, segments, self.graphs)

    def new(self, work: KernelWork, scores, position: int):
        first = work.match_starts[position]
        for match, (index, query) in enumerate(matches_of(work, position), first):
            sensed = query_of(self.scene, list(self.scene.sensed)[query])
            node_count = len(self.graphs.graph(index))
            poses_per_node = 2 if sensed.pose_fully_defined else 8
            count = sample_count(node_count, poses_per_node, self.multiplier)
            node_scores = work.of_match(match, scores, node_count)
            if count:
                yield Sample(
                    position,
                    index,
                    best_nodes(node_scores, count // poses_per_node),
                    node_scores,
                    poses=sensed_frames(sensed.pose_vectors, poses_per_node),
                )


def sense_something_else(scene: Scene, random: np.random.Generator) -> None:
    for sensed in scene.sensed.values():
        sensed["pose_vectors"] = random_frames(random, 1)[0]
        sensed["pose_fully_defined"] = bool(random.random() < 0.7)
        sensed["hsv"] = random.random(3)


if __name__ == "__main__":
    unittest.main()
