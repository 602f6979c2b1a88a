# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np

from monty_tools.bench.scenario import FEATURES, Scenario, make_scenario
from monty_tools.bench.settings import Settings

SETTINGS = Settings(lms=2, objects=3, steps=4, nodes=(50, 70))


def assert_equal(one: Scenario, other: Scenario) -> None:
    assert one.target == other.target
    for graphs, others in zip(one.graphs, other.graphs, strict=True):
        assert list(graphs) == list(others)
        for name, graph in graphs.items():
            np.testing.assert_array_equal(graph.pos, others[name].pos)
            np.testing.assert_array_equal(graph.x, others[name].x)
    for percepts, others in zip(one.percepts, other.percepts, strict=True):
        for name, array in percepts.arrays().items():
            np.testing.assert_array_equal(array, others.arrays()[name])


class ScenarioTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.scenario = make_scenario(SETTINGS)

    def test_has_what_was_asked_for(self) -> None:
        self.assertEqual([len(known) for known in self.scenario.graphs], [3, 3])
        self.assertEqual([len(percepts) for percepts in self.scenario.percepts], [4, 4])
        for known in self.scenario.graphs:
            for graph in known.values():
                self.assertTrue(50 <= len(graph.pos) <= 70)
                self.assertEqual(graph.x.shape, (len(graph.pos), 17))
        self.assertIn(self.scenario.target, self.scenario.graphs[0])

    def test_by_default_an_object_has_1600_to_2000_nodes(self) -> None:
        scenario = make_scenario(Settings(lms=1, objects=2, steps=1))
        for graph in scenario.graphs[0].values():
            self.assertTrue(1600 <= len(graph.pos) <= 2000)

    def test_the_stored_vectors_are_unit_vectors_at_right_angles(self) -> None:
        start, end = FEATURES["pose_vectors"]
        for graph in self.scenario.graphs[0].values():
            vectors = graph.x[:, start:end].reshape(-1, 3, 3)
            np.testing.assert_allclose(
                vectors @ vectors.transpose(0, 2, 1),
                np.broadcast_to(np.eye(3), vectors.shape),
                atol=1e-6,
            )

    def test_learning_modules_have_the_same_objects_but_nodes_of_their_own(
        self,
    ) -> None:
        one, other = (known["object_0"].pos for known in self.scenario.graphs)
        self.assertFalse(len(one) == len(other) and np.allclose(one, other))
        np.testing.assert_allclose(
            np.ptp(one, axis=0), np.ptp(other, axis=0), atol=0.02
        )

    def test_it_depends_on_the_settings_and_nothing_else(self) -> None:
        assert_equal(self.scenario, make_scenario(SETTINGS))
        another = make_scenario(replace(SETTINGS, seed=1))
        one, other = (s.graphs[0]["object_0"].pos for s in (self.scenario, another))
        self.assertFalse(len(one) == len(other) and np.allclose(one, other))

    def test_more_objects_leave_the_others_as_they_were(self) -> None:
        more = make_scenario(replace(SETTINGS, objects=4))
        for name, graph in self.scenario.graphs[1].items():
            np.testing.assert_array_equal(graph.x, more.graphs[1][name].x)

    def test_saving_and_loading_changes_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "scenario.npz"
            self.scenario.save(file)
            assert_equal(Scenario.load(file), self.scenario)

    def test_shared_objects_are_made_and_saved_once(self) -> None:
        shared = make_scenario(replace(SETTINGS, lms=3, shares_objects=True))
        self.assertEqual(len(shared.graphs), 3)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "scenario.npz"
            shared.save(file)
            with np.load(file) as arrays:
                kept = [key for key in arrays if key.startswith("graphs/")]
            loaded = Scenario.load(file)
        self.assertEqual(len(kept), 2 * SETTINGS.objects)
        assert_equal(loaded, shared)
        self.assertIs(loaded.graphs[0], loaded.graphs[2])
        for name, graph in self.scenario.graphs[0].items():
            np.testing.assert_array_equal(graph.x, loaded.graphs[1][name].x)


class SettingsTest(unittest.TestCase):
    def test_settings_survive_json(self) -> None:
        self.assertEqual(Settings.from_dict(SETTINGS.as_dict()), SETTINGS)
