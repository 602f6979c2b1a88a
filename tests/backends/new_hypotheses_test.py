# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import dataclasses
import unittest

import numpy as np

from tbp.monty.backends import numba as numba_kernels
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.numpy.new_hypotheses import sensed_frames
from tbp.monty.backends.tables.engine import Sample
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tests.backends import stacked_numpy
from tests.backends.kernel_works import matches_of
from tests.backends.numpy.upstream import SceneMemory, sensed_features
from tests.backends.scenes import Scene, build, random_scene

UMBILICAL_POSES = 8


def updater_of(scene: Scene, poses="informed") -> DefaultHypothesesUpdater:
    return DefaultHypothesesUpdater(
        feature_weights=scene.weights,
        graph_memory=SceneMemory(scene),
        max_match_distance=scene.radius,
        tolerances=scene.tolerances,
        feature_evidence_increment=scene.increment,
        initial_possible_poses=poses,
        max_nneighbors=scene.neighbors,
        past_weight=scene.past_weight,
        present_weight=scene.present_weight,
        umbilical_num_poses=UMBILICAL_POSES,
    )


def initial_sample(scene, work, position, i, graphs, scores, given=None) -> Sample:
    """Return the initial hypotheses of a graph, as an updater describes them."""
    graph, query = matches_of(work, position)[i]
    count = len(graphs.graph(graph))
    sensed = scene.sensed[list(scene.sensed)[query]]
    poses_per_node = 2 if sensed["pose_fully_defined"] else UMBILICAL_POSES
    frames = sensed_frames(sensed["pose_vectors"], poses_per_node)
    return Sample(
        int(work.segments[position]),
        graph,
        nodes=np.arange(count),
        scores=work.of_match(work.match_starts[position] + i, scores, count),
        poses=frames if given is None else given,
        is_aligned=given is None,
    )


def _spoil(table) -> None:
    """Overwrite all rows, so that rows of an earlier call cannot pass the test."""
    for column in (table.evidence, table.locations, table.poses):
        column[:] = np.nan


class InitialHypothesesTest(unittest.TestCase):
    def assert_same(self, rows: HypothesisRows, expected: Hypotheses) -> None:
        for name in ("evidence", "locations", "poses", "possible"):
            np.testing.assert_array_equal(getattr(rows, name), getattr(expected, name))

    def assert_starts_like_upstream(self, scene, poses="informed") -> None:
        table, graphs, work = build([scene])
        scores = stacked_numpy.score_nodes(graphs, work)
        updater = updater_of(scene, poses)
        given = updater.initial_possible_poses
        if given is not None:
            given = np.array([rotation.as_matrix() for rotation in given])
        for position, segment in enumerate(work.segments.tolist()):
            graph = table.keys[segment].graph
            expected, _ = updater.update_evidence(
                Hypotheses.empty(), sensed_features(scene), graph, -np.inf
            )
            samples = [
                initial_sample(scene, work, position, i, graphs, scores, given)
                for i in range(len(matches_of(work, position)))
            ]
            for module in (stacked_numpy, numba_kernels):
                table.restart([segment])
                _spoil(table)
                module.append_samples(table, graphs, samples)
                self.assert_same(table.rows(segment), expected)

    def test_informed_hypotheses_equal_upstreams_to_the_last_bit(self) -> None:
        for seed in range(12):
            self.assert_starts_like_upstream(random_scene(seed, channels=2))

    def test_hypotheses_at_given_poses_equal_upstreams(self) -> None:
        poses = [[0.0, 0.0, 0.0], [0.0, 45.0, 90.0], [10.0, 20.0, 30.0]]
        for seed in range(3):
            self.assert_starts_like_upstream(random_scene(seed, channels=2), poses)

    def test_hypotheses_at_uniform_poses_equal_upstreams(self) -> None:
        self.assert_starts_like_upstream(random_scene(0, nodes=10), "uniform")

    def test_hypotheses_of_a_late_channel_equal_upstreams(self) -> None:
        scene = random_scene(3, channels=2, graphs=1)
        self.assertEqual(len(scene.nodes), 2)
        updater = updater_of(scene)
        early = next(iter(scene.sensed))
        features = sensed_features(scene)
        first, _ = updater.update_evidence(
            Hypotheses.empty(), {early: features[early]}, "object_0", -np.inf
        )
        expected, _ = updater.update_evidence(first, features, "object_0", -np.inf)

        table, graphs, work = build([scene])
        scores = stacked_numpy.score_nodes(graphs, work)
        sample = initial_sample(scene, work, 0, 1, graphs, scores)
        # From upstream, so that only the appended hypotheses are compared.
        existing = HypothesisRows(**_part(expected, slice(len(first.evidence))))
        sample = dataclasses.replace(sample, head_start=np.mean(existing.evidence))
        for module in (stacked_numpy, numba_kernels):
            _spoil(table)
            table.assign(0, existing)
            module.append_samples(table, graphs, [sample])
            self.assert_same(table.rows(0), expected)


def _part(hypotheses: Hypotheses, part: slice) -> dict:
    return {name: array[part] for name, array in vars(hypotheses).items()}


if __name__ == "__main__":
    unittest.main()
