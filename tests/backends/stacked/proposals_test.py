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

from tbp.monty.backends.stacked.plans import Plans
from tbp.monty.backends.stacked.proposals import of_new_channels
from tests.backends.scene_lms import SceneLM


class NewChannelsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.lms = [SceneLM(number, "default") for number in range(2)]
        self.updates = [lm.next_update() for lm in self.lms]
        self.plans = Plans()
        self.plan = self.plans.joint_plan(self.updates)
        # Of the second learning module, each graph has two channels.
        self.channels = [channel for lm in self.plan.plans for channel in lm.channels]
        for lm, of_lm in zip(self.lms, self.plan.plans, strict=True):
            channels = zip(of_lm.graph_ids, map(set, of_lm.channels), strict=True)
            lm.initialized_channels.update(channels)

    def proposed(self, *empty: int) -> list[int]:
        was_empty = np.isin(np.arange(len(self.channels)), empty)
        new = of_new_channels(self.updates, self.plan, self.plans.graphs, was_empty)
        return new.matches.tolist()

    def test_all_channels_of_graphs_without_hypotheses(self) -> None:
        everything = range(len(self.plan.match_graphs))
        self.assertEqual(self.proposed(*range(len(self.channels))), [*everything])
        self.assertEqual(self.proposed(), [])
        starts = self.plan.match_starts.tolist()
        self.assertEqual(self.proposed(2), [*range(starts[2], starts[3])])

    def test_only_channels_that_have_none(self) -> None:
        graph_ids = self.plan.plans[1].graph_ids
        known = self.lms[1].initialized_channels
        known[graph_ids[-1]].remove(self.channels[-1][-1])
        last = len(self.plan.match_graphs) - 1
        self.assertEqual(self.proposed(), [last])
        del known[graph_ids[-1]]
        self.assertEqual(self.proposed(), [last - 1, last])

    def test_none_if_more_channels_have_some(self) -> None:
        for lm in self.lms:
            lm.initialized_channels["another graph"] = {"patch_0"}
            for channels in lm.initialized_channels.values():
                channels.add("another channel")
        self.assertEqual(self.proposed(), [])


if __name__ == "__main__":
    unittest.main()
