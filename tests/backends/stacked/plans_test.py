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
from typing import Any

import numpy as np

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.stacked.graph_cache import GraphCache
from tbp.monty.backends.stacked.plans import JointPlan, Plans
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tests.backends.scene_lms import SceneLM


class PlansTest(unittest.TestCase):
    def setUp(self) -> None:
        self.lms: list[Any] = [SceneLM(number, "default") for number in range(3)]
        self.graphs, self.table = GraphCache(), HypothesisTable()
        self.plans = Plans(self.graphs, self.table)

    def works(self) -> list[DescribedWork]:
        return [lm.next_work() for lm in self.lms]

    def plan(self, works: list[DescribedWork]) -> JointPlan:
        """Return the plan, after a comparison with one that is made anew."""
        plan = self.plans.joint_plan(works)
        anew = Plans(self.graphs, self.table).joint_plan(works)
        for one, expected in zip(plan.plans, anew.plans, strict=True):
            for name, value in vars(expected).items():
                np.testing.assert_equal(getattr(one, name), value)
        return plan

    def test_a_plan_holds_while_nothing_changes(self) -> None:
        self.assertIs(self.plan(self.works()), self.plan(self.works()))

    def test_a_channel_that_no_graph_has_stored_does_not_change_the_plan(self) -> None:
        plan = self.plan(self.works())
        works = self.works()
        works[1].features = {**works[1].features, "elsewhere": {}}
        self.assertIs(self.plan(works), plan)

    def test_a_channel_less_is_noticed(self) -> None:
        plan = self.plan(self.works())
        works = self.works()
        channel = next(iter(works[1].features))
        works[1].features = {channel: works[1].features[channel]}
        self.assertIsNot(self.plan(works), plan)

    def test_graphs_that_change_in_place_are_noticed(self) -> None:
        works = self.works()
        graph_ids = works[1].graph_ids
        plan = self.plan(works)
        graph_ids.pop()  # type: ignore[attr-defined]
        again = self.works()
        again[1].graph_ids = graph_ids
        self.assertIsNot(self.plan(again), plan)

    def test_another_radius_is_noticed(self) -> None:
        plan = self.plan(self.works())
        works = self.works()
        works[1].settings["max_match_distance"] *= 2  # type: ignore[index]
        self.assertIsNot(self.plan(works), plan)

    def test_graphs_that_are_stored_anew_are_noticed(self) -> None:
        before = self.plan(self.works())
        table = self.graphs.table
        scene = SceneLM(7, "default")._scene
        lm = self.lms[2]
        lm._scene.nodes.update(
            {key: nodes for key, nodes in scene.nodes.items() if key in lm._scene.nodes}
        )
        lm.stored = lambda before: scene  # noqa: ARG005
        self.assertIsNot(self.plan(self.works()), before)
        self.assertIsNot(self.graphs.table, table)


if __name__ == "__main__":
    unittest.main()
