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

from tbp.monty.backends.device.graphs import DeviceGraphs
from tests.backends.cuda.host_device import HostStream
from tests.backends.scenes import build, random_scene


class MatchesTest(unittest.TestCase):
    def setUp(self) -> None:
        scene = random_scene(3, graphs=3, nodes=20, hypotheses=0, channels=2)
        _, self.table, self.work = build([scene])
        self.graphs = DeviceGraphs(HostStream(), self.table)

    def test_are_kept_for_works_of_one_revision(self) -> None:
        known = self.graphs.matches_of(self.work)
        other = self.work._replace(sensed=self.work.sensed + 1)
        self.assertIs(self.graphs.matches_of(other), known)

    def test_of_another_revision_are_others(self) -> None:
        work, nodes = self.work, self.table.node_counts[self.work.match_graphs]
        self.assertGreater(len({*nodes.tolist()}), 1)
        turned = work._replace(revision=-1, match_graphs=work.match_graphs[::-1])
        unscored = work._replace(
            revision=-2, score_starts=np.full_like(work.score_starts, -1)
        )
        joined = work._replace(revision=-3, match_starts=work.match_starts[[0, -1]])
        for one, scored in (
            *((work, nodes), (turned, nodes[::-1]), (unscored, 0 * nodes)),
            *((joined, nodes), (work, nodes)),
        ):
            known = self.graphs.matches_of(one)
            self.assertEqual(known.scored_nodes.tolist(), scored.tolist())
            counts = np.diff(one.match_starts).tolist()
            self.assertEqual(known.channel_counts.tolist(), counts)
            self.assertEqual(known.channels, max(counts))


if __name__ == "__main__":
    unittest.main()
