# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import itertools
import unittest
from typing import Any

import numpy as np

from tbp.monty.backends.described_work import EvidenceUpdate
from tbp.monty.backends.stacked.plans import MOST_JOINT, JointPlan, Plans
from tbp.monty.backends.stacked.stored_graphs import GraphKey
from tests.backends.scene_lms import SceneLM


class PlansTestCase(unittest.TestCase):
    def setUp(self) -> None:
        self.lms: list[Any] = [SceneLM(number, "default") for number in range(3)]
        self.plans = Plans()

    def updates(self) -> list[EvidenceUpdate]:
        return [lm.next_update() for lm in self.lms]

    def plan(self, updates: list[EvidenceUpdate]) -> JointPlan:
        """Return the plan, after a comparison with one that is made anew."""
        plan = self.plans.joint_plan(updates)
        anew = Plans().joint_plan(updates)
        for one, expected in zip(plan.plans, anew.plans, strict=True):
            for name in ("graph_ids", "left_out", "keys", "channels", "query_keys"):
                self.assertEqual(getattr(one, name), getattr(expected, name))
        return plan


class PlansTest(PlansTestCase):
    def test_a_plan_holds_while_nothing_changes(self) -> None:
        self.assertIs(self.plan(self.updates()), self.plan(self.updates()))

    def test_a_channel_less_is_noticed(self) -> None:
        plan = self.plan(self.updates())
        updates = self.updates()
        channel = next(iter(updates[1].percepts))
        updates[1].percepts = {channel: updates[1].percepts[channel]}
        self.assertIsNot(self.plan(updates), plan)

    def test_graphs_that_change_in_place_are_noticed(self) -> None:
        updates = self.updates()
        graph_ids: Any = updates[1].graph_ids
        plan = self.plan(updates)
        graph_ids.pop()
        again = self.updates()
        again[1].graph_ids = graph_ids
        self.assertIsNot(self.plan(again), plan)

    def test_another_radius_is_noticed(self) -> None:
        plan = self.plan(self.updates())
        self.lms[1].settings["max_match_distance"] *= 2
        self.assertIsNot(self.plan(self.updates()), plan)

    def test_any_subsets_of_six_learning_modules_keep_their_plans(self) -> None:
        self.lms = [SceneLM(number, "default") for number in range(6)]
        updates = self.updates()
        self.plan(updates)
        subsets = [
            [updates[i] for i in chosen]
            for count in range(1, 6)
            for chosen in itertools.combinations(range(6), count)
        ]
        self.assertLess(len(subsets), MOST_JOINT)
        plans = [self.plan(subset) for subset in subsets]
        for subset, plan in zip(subsets, plans, strict=True):
            self.assertIs(self.plan(subset), plan)


class GraphsTest(PlansTestCase):
    def graph_of(self, lm: int) -> Any:
        plans = self.plans
        key = GraphKey(f"LM_{lm}", "object_0", "patch_0")
        return plans.graphs.graph(plans.graphs.index(key))

    def learn(self, lm: int, other: SceneLM) -> None:
        """Let a learning module have the graphs of another one."""
        self.lms[lm].scene.nodes = other.scene.nodes
        self.lms[lm].revision = SceneLM(0, "default").revision

    def test_graphs_that_are_stored_anew_are_noticed(self) -> None:
        before, table = self.plan(self.updates()), self.plans.graphs
        self.learn(2, SceneLM(8, "default"))
        self.assertIsNot(self.plan(self.updates()), before)
        self.assertIsNot(self.plans.graphs, table)

    def test_the_same_nodes_are_one_graph_whoever_stored_them(self) -> None:
        self.lms[2].settings["max_match_distance"] = 0.01
        self.lms[0].settings["max_match_distance"] = 0.01
        self.learn(2, self.lms[0])
        self.plan(self.updates())
        self.assertIs(self.graph_of(2), self.graph_of(0))
        self.assertIsNot(self.graph_of(1), self.graph_of(0))

    def test_graphs_of_another_radius_are_others(self) -> None:
        self.learn(2, self.lms[0])
        self.lms[2].settings["max_match_distance"] = 0.5
        self.plan(self.updates())
        self.assertIsNot(self.graph_of(2), self.graph_of(0))
        self.assertEqual(self.graph_of(2).radius, 0.5)

    def test_graphs_that_others_have_stay_as_they_are(self) -> None:
        self.plan(self.updates())
        graphs = [self.graph_of(lm) for lm in range(3)]
        self.learn(2, SceneLM(8, "default"))
        self.plan(self.updates())
        self.assertIs(self.graph_of(0), graphs[0])
        self.assertIs(self.graph_of(1), graphs[1])
        self.assertIsNot(self.graph_of(2), graphs[2])
        np.testing.assert_array_equal(
            self.graph_of(2).locations,
            self.lms[2].scene.nodes["object_0", "patch_0"].locations,
        )

    def test_graphs_that_were_removed_are_forgotten(self) -> None:
        self.plan(self.updates())
        before = len(self.plans.graphs)
        updates = self.updates()
        updates[0].graph_ids = updates[0].graph_ids[:1]
        self.lms[0].revision = SceneLM(0, "default").revision
        self.plan(updates)
        self.assertEqual(len(self.plans.graphs), before - 1)
        self.assertEqual(len([*self.plans.held()]), before)


if __name__ == "__main__":
    unittest.main()
