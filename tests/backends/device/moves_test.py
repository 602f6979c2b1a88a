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
from unittest.mock import patch

import numpy as np

from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.tables.displacing import displace
from tests.backends.cuda.host_device import HostStream
from tests.backends.cuda.kernels_test import on_device
from tests.backends.scenes import build, random_scene


class MovesOfAStepTest(unittest.TestCase):
    """What the kernels do with them is tested with burst sampling."""

    def setUp(self) -> None:
        scene = random_scene(3, graphs=3, nodes=20, hypotheses=40)
        self.table, self.graphs, self.work = build([scene])
        self.engine = DeviceEngine(HostStream())
        self.device = on_device(self.engine, self.table)
        by = np.random.default_rng(0).normal(size=(4, 3))
        self.moves = {0: [*by[:1]], 1: [*by[1:3]], 2: [*by[3:]]}
        self.moves_before = dict(self.moves)

    def assert_moved(self, *segments: int) -> None:
        displace(
            self.table, {segment: self.moves_before[segment] for segment in segments}
        )
        for segment in range(3):
            np.testing.assert_array_equal(
                self.device.read(segment, "locations"),
                self.table.read(segment, "locations"),
            )

    def test_segments_that_are_not_updated_move_too(self) -> None:
        work = self.work._replace(segments=self.work.segments[:2])
        self.engine.begin(self.device, self.graphs, work, moves=self.moves)
        self.assertEqual(self.moves.keys(), {0, 1})
        self.assert_moved(2)

    def test_nothing_has_moved_if_there_is_no_memory_for_the_step(self) -> None:
        step = self.engine.begin(self.device, self.graphs, self.work, moves=self.moves)
        stream = self.engine.stream
        no_memory = patch.object(stream, "allocate", side_effect=MemoryError)
        with no_memory, self.assertRaises(MemoryError):
            step.update()
        self.assertEqual(self.moves, self.moves_before)
        self.assert_moved()

    def test_hypotheses_have_moved_also_if_their_update_fails(self) -> None:
        step = self.engine.begin(self.device, self.graphs, self.work)
        step.update()
        most_likely = step.finish().most_likely.tolist()
        for segment in range(3):
            for name in ("evidence", "locations"):
                self.table.write(segment, name, self.device.read(segment, name))
        work = self.work._replace(
            is_displaced=np.ones_like(self.work.is_displaced),
            displacements=np.full_like(self.work.displacements, np.inf),
        )
        step = self.engine.begin(self.device, self.graphs, work, moves=self.moves)
        step.update()
        with self.assertRaises(UnusableNumbers):
            step.finish()
        self.assert_moved(0, 1, 2)
        for segment, place in enumerate(most_likely):
            np.testing.assert_array_equal(
                self.device.hypothesis(segment, place).location,
                self.table.read(segment, "locations")[place],
            )

    def test_a_step_with_moves_sends_and_launches_as_often_as_one_without(self) -> None:
        sent, launched = [], self.engine.stream.counted.launched
        for moves in ({}, self.moves):
            launched.clear()
            step = self.engine.begin(self.device, self.graphs, self.work, moves=moves)
            with patch.object(
                self.engine.stream, "send", wraps=self.engine.stream.send
            ) as send:
                step.update()
            step.finish()
            sent.append(send.call_count)
        # Settings and the division of rows into blocks are sent once.
        self.assertEqual(sent, [4, 1])
        expected = ["score_nodes", "update", "combine", "find_likely"]
        self.assertEqual(launched, expected)


if __name__ == "__main__":
    unittest.main()
