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
from dataclasses import replace

import numpy as np

from monty_tools.bench.scenario import make_scenario
from monty_tools.bench.settings import Settings
from monty_tools.bench.state import beliefs, end_state
from monty_tools.bench.system import System

SETTINGS = Settings(lms=2, objects=3, steps=25, neighbors=5, nodes=(150, 200))


def run(system: System) -> list[list[dict]]:
    trace = []
    system.reset()
    for inputs in system.inputs():
        system.monty.sensor_module_outputs = inputs
        system.monty._step_learning_modules(system.context)
        trace.append(beliefs(system.monty))
    return trace


class SystemTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.scenario = make_scenario(SETTINGS)
        cls.system = System(SETTINGS, cls.scenario)
        cls.trace = run(cls.system)
        cls.end = end_state(cls.system.monty)

    def test_memory_holds_the_nodes_as_they_were_made(self) -> None:
        for i, lm in enumerate(self.system.monty.learning_modules):
            for name, graph in self.scenario.graphs[i].items():
                stored = lm.graph_memory.get_graph(name, f"patch_{i}")
                np.testing.assert_array_equal(stored.pos, graph.pos)
                np.testing.assert_array_equal(stored.x, graph.x)

    def test_every_learning_module_recognises_its_object(self) -> None:
        for lm in self.trace[-1]:
            self.assertEqual(lm["object"], self.scenario.target)

    def test_with_burst_sampling_the_number_of_hypotheses_varies(self) -> None:
        counts = [sum(lm["hypotheses"] for lm in step) for step in self.trace]
        self.assertGreater(max(counts), 2 * counts[0])
        self.assertLess(counts[-1], max(counts) / 2)

    def test_a_second_episode_is_like_the_first(self) -> None:
        self.assertEqual(run(self.system), self.trace)
        self.assertEqual(end_state(self.system.monty), self.end)

    def test_learning_modules_are_asked_for_their_outputs(self) -> None:
        self.system.reset()
        self.system.step(self.system.inputs()[0])
        senders = [one.sender_id for one in self.system.monty.learning_module_outputs]
        lms = self.system.monty.learning_modules
        self.assertEqual(senders, [lm.learning_module_id for lm in lms])

    def test_threads_change_nothing(self) -> None:
        system = System(replace(SETTINGS, threads=1), self.scenario)
        self.assertFalse(system.monty.learning_modules[0].use_multithreading)
        run(system)
        self.assertEqual(end_state(system.monty), self.end)

    def test_groups_are_those_of_the_settings(self) -> None:
        self.assertEqual(self.system.monty.lm_groups, [(0, 1)])
        system = System(replace(SETTINGS, groups=((0,), (1,))), self.scenario)
        self.assertEqual(system.monty.lm_groups, [(0,), (1,)])
        run(system)
        self.assertEqual(end_state(system.monty), self.end)

    def test_the_default_updater_keeps_two_hypotheses_per_node(self) -> None:
        settings = replace(SETTINGS, updater="default", steps=3)
        trace = run(System(settings, self.scenario))
        for step in trace:
            for lm, graphs in zip(step, self.scenario.graphs, strict=True):
                nodes = sum(len(graph.pos) for graph in graphs.values())
                self.assertEqual(lm["hypotheses"], 2 * nodes)

    def test_another_state_has_another_digest(self) -> None:
        run(self.system)
        hyps = self.system.monty.learning_modules[1]._hypotheses[self.scenario.target]
        hyps.evidence[0] = np.nextafter(hyps.evidence[0], np.inf)
        self.assertNotEqual(end_state(self.system.monty)["digest"], self.end["digest"])
