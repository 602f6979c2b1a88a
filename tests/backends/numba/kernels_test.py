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
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tbp.monty.backends import numba as numba_kernels
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tests.backends import stacked_numpy
from tests.backends.kernel_works import kernel_work
from tests.backends.scenes import (
    Scene,
    build,
    on_a_lattice,
    random_scene,
    scenes,
    without_nodes,
)


def bits(array: np.ndarray) -> np.ndarray:
    # Only the sign of a zero may differ.
    return (np.asarray(array, dtype=np.float64) + 0.0).view(np.int64)


class KernelTestCase(unittest.TestCase):
    """Compares kernels with numpy; the tests of other kernels are subclasses."""

    kernels = numba_kernels

    def assert_same_evidence(self, found, wanted, what: str) -> None:
        np.testing.assert_array_equal(bits(found), bits(wanted), what)

    def assert_agrees(self, table, graphs, work, **rounding) -> None:
        statement = copy.deepcopy(table)
        expected_scores = stacked_numpy.score_nodes(graphs, work)
        scores = self.kernels.score_nodes(graphs, work)
        self.assert_same_evidence(scores, expected_scores, "scores")
        expected = stacked_numpy.update(statement, graphs, work, **rounding)
        result = self.kernels.update(table, graphs, work, **rounding)
        for segment in range(len(table)):
            found, wanted = table.rows(segment), statement.rows(segment)
            self.assert_same_evidence(found.evidence, wanted.evidence, "evidence")
            for name in ("locations", "poses"):
                np.testing.assert_array_equal(
                    bits(getattr(found, name)), bits(getattr(wanted, name)), name
                )
        for name in ("highest", "prediction_error"):
            found, wanted = getattr(result, name), getattr(expected, name)
            self.assert_same_evidence(found, wanted, name)
        for name in ("most_likely", "tested"):
            np.testing.assert_array_equal(
                getattr(result, name), getattr(expected, name), name
            )


class EqualToNumpyTest(KernelTestCase):
    # About 120 000 updates of a hypothesis: 150 times 3 learning modules with 2.5
    # graphs and 100 hypotheses each, on average.
    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(lms=st.lists(scenes(), min_size=1, max_size=5), fused=st.booleans())
    def test_on_random_stacks_of_learning_modules(
        self, lms: list[Scene], fused: bool
    ) -> None:
        for i, scene in enumerate(lms):
            scene.name = f"lm_{i}"
        self.assert_agrees(*build(lms), fused=fused)

    def test_with_more_nodes_in_the_radius_than_requested_neighbours(self) -> None:
        for neighbors in (1, 3, 10, 37, 64):
            scene = random_scene(5, nodes=400, hypotheses=300, neighbors=neighbors)
            scene.radius = 0.05
            self.assert_agrees(*build([scene]))

    def test_with_one_node_more_in_the_radius_than_requested_neighbours(self) -> None:
        # Nodes are compared in whole SIMD vectors; so few do not fill one.
        for neighbors in range(1, 20):
            with self.subTest(neighbors=neighbors):
                scene = random_scene(
                    11, nodes=neighbors + 1, hypotheses=50, neighbors=neighbors
                )
                scene.radius = 1.0
                self.assert_agrees(*build([scene]))

    def test_with_many_equally_distant_nodes(self) -> None:
        self.assert_agrees(*build([on_a_lattice(6, neighbors=5)]))

    def test_with_distances_that_32_bits_cannot_distinguish(self) -> None:
        scene = on_a_lattice(7, neighbors=4)
        random = np.random.default_rng(0)
        for nodes in scene.nodes.values():
            nodes.locations += random.normal(size=(len(nodes), 3)) * 1e-12
        self.assert_agrees(*build([scene]))

    def test_at_scales_whose_squares_do_not_fit_32_bits(self) -> None:
        for scale in (1e-22, 1e-12, 1e9, 1e25):
            with self.subTest(scale=scale):
                scene = random_scene(8, nodes=200, hypotheses=200, neighbors=3)
                scene.radius = 0.03 * scale
                scene.displacement = scene.displacement * scale
                for nodes in scene.nodes.values():
                    nodes.locations *= scale
                for rows in scene.hypotheses.values():
                    rows.locations[:] *= scale
                self.assert_agrees(*build([scene]))

    def test_with_a_node_far_away_from_all_others(self) -> None:
        scene = random_scene(9, nodes=300, hypotheses=300, neighbors=3)
        scene.radius = 0.03
        for nodes in scene.nodes.values():
            nodes.locations[0] = 1e6
        self.assert_agrees(*build([scene]))

    def test_with_an_infinite_curvature(self) -> None:
        scene = random_scene(10, hypotheses=300, far_away=0.0)
        scene.sensed["patch_0"]["curvature"] = np.inf
        table, graphs, work = build([scene])
        work.check(table)
        self.assert_agrees(table, graphs, work)

    def test_without_work(self) -> None:
        table, graphs, _ = build([random_scene(1)])
        self.assert_agrees(table, graphs, kernel_work([], [], graphs))

    def test_for_a_graph_without_nodes(self) -> None:
        self.assert_agrees(*build([without_nodes()]))


class StackTest(KernelTestCase):
    def test_the_rest_of_the_stack_does_not_matter(self) -> None:
        lms = [random_scene(i, name=f"lm_{i}", neighbors=1 + i) for i in range(4)]
        table, graphs, work = build(lms)
        result = self.kernels.update(table, graphs, work)
        position = 0
        for scene in lms:
            alone, its_graphs, its_work = build([scene])
            its_result = self.kernels.update(alone, its_graphs, its_work)
            for i in range(len(alone)):
                np.testing.assert_array_equal(
                    table.rows(position).evidence, alone.rows(i).evidence
                )
                self.assertEqual(result.highest[position], its_result.highest[i])
                self.assertEqual(
                    result.most_likely[position], its_result.most_likely[i]
                )
                position += 1

    def test_segments_outside_the_work_are_unchanged(self) -> None:
        table, graphs, work = build([random_scene(3, hypotheses=100)])
        before = copy.deepcopy(table)
        self.kernels.update(table, graphs, work._replace(segments=work.segments[:1]))
        np.testing.assert_array_equal(before.rows(1).locations, table.rows(1).locations)
        np.testing.assert_array_equal(before.rows(1).evidence, table.rows(1).evidence)


class UnusableNumbersTest(KernelTestCase):
    def setUp(self) -> None:
        self.scene = random_scene(11, hypotheses=400, graphs=3, far_away=0.0)
        self.scene.name = "left"

    def assert_refused(self, message: str) -> None:
        table, graphs, work = build([self.scene])
        before = copy.deepcopy(table)
        for backend in (stacked_numpy, self.kernels):
            with self.assertRaisesRegex(UnusableNumbers, message):
                work.check(table)
                backend.update(table, graphs, work)
            for name in ("evidence", "locations", "poses", "possible"):
                np.testing.assert_array_equal(
                    getattr(before, name), getattr(table, name)
                )

    def test_in_a_hypothesis(self) -> None:
        where = "learning module 'left', graph 'object_2': hypothesis 7 of"
        rows = self.scene.hypotheses["object_2"]
        for value in (np.nan, np.inf, -np.inf, 1e200):
            for name in ("evidence", "locations", "poses"):
                with self.subTest(value=value, name=name):
                    array = getattr(rows, name)
                    kept = array[7].copy()
                    array[7] = value
                    self.assert_refused(f"{where} .*: {name} must be finite")
                    array[7] = kept

    def test_in_the_displacement(self) -> None:
        self.scene.displacement = np.array([0.0, np.nan, 0.0])
        self.assert_refused("learning module 'left', graph 'object_0': the displace")

    def test_in_a_percept(self) -> None:
        sensed = self.scene.sensed["patch_0"]
        sensed["curvature"] = np.nan
        self.assert_refused(
            "learning module 'left', graph 'object_0': .*curvature .*nan"
        )
        sensed["pose_vectors"] = np.full((3, 3), np.nan)
        self.assert_refused("learning module 'left', graph 'object_0': pose .*nan")

    def test_in_a_sensed_feature(self) -> None:
        self.scene.sensed["patch_0"]["hsv"] = np.array([np.nan, 0.5, 0.5])
        self.assert_refused("learning module 'left', graph .* features sensed")

    def test_a_node_without_a_feature_matters_only_near_a_hypothesis(self) -> None:
        nodes = self.scene.nodes["object_1", "patch_0"]
        nodes.features[:, 0] = np.nan
        self.assert_refused("learning module 'left', graph 'object_1'")
        rows = self.scene.hypotheses["object_1"]
        rows.locations[:] += 50.0
        table, graphs, work = build([self.scene])
        self.kernels.update(table, graphs, work)


class ContractionTest(unittest.TestCase):
    def test_the_compiler_does_not_fuse_products_and_sums(self) -> None:
        # Perfect matches differ in half of their digits if one dot product is fused.
        table, graphs, work = build(
            [random_scene(8, perfect=1.0, hypotheses=2000, nodes=100)]
        )
        plain, fused = copy.deepcopy(table), copy.deepcopy(table)
        numba_kernels.update(plain, graphs, work, fused=False)
        numba_kernels.update(fused, graphs, work, fused=True)
        differences = plain.rows(0).evidence - fused.rows(0).evidence
        self.assertGreater(np.abs(differences).max(), 1e-12)
        stacked_numpy.update(table, graphs, work, fused=False)
        np.testing.assert_array_equal(plain.rows(0).evidence, table.rows(0).evidence)


if __name__ == "__main__":
    unittest.main()
