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
from types import SimpleNamespace
from typing import Any

from tbp.monty.frameworks.models.graph_matching import MontyForGraphMatching
from tbp.monty.frameworks.models.lm_groups import InvalidLMGroups
from tbp.monty.frameworks.models.monty_base import MontyBase
from tests.frameworks.models.monty_arguments import monty_arguments

CONTEXT: Any = object()


def percept(semantic_id: int, *, passes: bool = True) -> Any:
    return SimpleNamespace(
        sender_id="patch",
        pass_message=passes,
        process_features_in_lm=True,
        _semantic_id=semantic_id,
        is_from_sm=lambda: True,
    )


class FakeLM:
    """Records its calls in a diary that all learning modules share."""

    def __init__(self, name: str, diary: list) -> None:
        self.learning_module_id = name
        self.diary = diary
        self.stepwise_target_object = "before"
        self.stepwise_targets_list: list = []

    def matching_step(self, ctx: Any, percepts: list) -> None:
        assert ctx is CONTEXT
        self.diary.append(("step", self.learning_module_id, len(percepts)))

    def add_lm_processing_to_buffer_stats(self, lm_processed: bool) -> None:
        self.diary.append(("note", self.learning_module_id, lm_processed))


class StepLearningModulesTestCase(unittest.TestCase):
    def make(self, monty_class: type[MontyBase], count: int, **settings) -> Any:
        self.diary: list = []
        lms = [FakeLM(f"LM_{i}", self.diary) for i in range(count)]
        monty: Any = monty_class(**monty_arguments(lms, **settings))
        monty.semantic_id_to_label = {1: "mug", 2: "bowl"}
        return monty


class MontyForGraphMatchingTest(StepLearningModulesTestCase):
    def test_all_are_stepped_before_any_is_marked_as_processed(self) -> None:
        monty = self.make(MontyForGraphMatching, 3)
        monty.sensor_module_outputs = [percept(1), percept(2), percept(1)]
        monty._step_learning_modules(CONTEXT)
        self.assertEqual(
            self.diary,
            [("step", f"LM_{i}", 1) for i in range(3)]
            + [("note", f"LM_{i}", True) for i in range(3)],
        )

    def test_targets_are_set_from_the_labels_before_stepping(self) -> None:
        monty = self.make(MontyForGraphMatching, 2)
        monty.sensor_module_outputs = [percept(1), percept(2)]
        seen: list = []
        monty.step_learning_modules = lambda *_: seen.extend(
            lm.stepwise_target_object for lm in monty.learning_modules
        )
        monty._step_learning_modules(CONTEXT)
        self.assertEqual(seen, ["mug", "bowl"])

    def test_inputs_are_listed_when_they_are_logged(self) -> None:
        monty = self.make(MontyForGraphMatching, 2)
        monty.sensor_module_outputs = [percept(1), percept(2, passes=False)]
        name = "tbp.monty.frameworks.models.graph_matching"
        with self.assertLogs(name, "INFO") as logs:
            monty._step_learning_modules(CONTEXT)
        self.assertEqual(
            [record.getMessage() for record in logs.records],
            [
                "Sending input from ['patch'] to LM_0",
                "Skipping step on learning module 1",
            ],
        )

    def test_a_module_without_input_is_not_stepped_and_keeps_its_target(self) -> None:
        monty = self.make(MontyForGraphMatching, 2)
        monty.sensor_module_outputs = [percept(1, passes=False), percept(2)]
        monty._step_learning_modules(CONTEXT)
        self.assertEqual(
            self.diary,
            [("step", "LM_1", 1), ("note", "LM_0", False), ("note", "LM_1", True)],
        )
        first, second = monty.learning_modules
        self.assertEqual(first.stepwise_targets_list, ["before"])
        self.assertEqual(second.stepwise_targets_list, ["bowl"])

    def test_the_runtime_method_changes_no_target(self) -> None:
        monty = self.make(MontyForGraphMatching, 2)
        monty.step_learning_modules(CONTEXT, monty.lm_groups, [[percept(1)], []])
        self.assertEqual(self.diary, [("step", "LM_0", 1)])
        for lm in monty.learning_modules:
            self.assertEqual(lm.stepwise_target_object, "before")
            self.assertEqual(lm.stepwise_targets_list, [])

    def test_only_the_given_groups_are_stepped(self) -> None:
        monty = self.make(MontyForGraphMatching, 4, lm_groups=[[0, 3], [1, 2]])
        inputs = [[percept(1)]] * 4
        monty.step_learning_modules(CONTEXT, [(1, 2)], inputs)
        self.assertEqual([name for _, name, _ in self.diary], ["LM_1", "LM_2"])

    def test_any_grouping_processes_in_the_original_order(self) -> None:
        for groups in ([[0], [1], [2]], [[2, 0], [1]], [[0, 1, 2]], None):
            with self.subTest(groups):
                monty = self.make(MontyForGraphMatching, 3, lm_groups=groups)
                monty.sensor_module_outputs = [percept(1)] * 3
                monty._step_learning_modules(CONTEXT)
                steps = [name for what, name, _ in self.diary if what == "step"]
                self.assertEqual(steps, ["LM_0", "LM_1", "LM_2"])

    def test_wrong_groups_are_refused_when_monty_is_built(self) -> None:
        with self.assertRaises(InvalidLMGroups):
            self.make(MontyForGraphMatching, 2, lm_groups=[[0]])


class MontyBaseTest(StepLearningModulesTestCase):
    def test_steps_learning_modules_without_input_too(self) -> None:
        monty = self.make(MontyBase, 2)
        monty.sensor_module_outputs = [percept(1, passes=False), percept(2)]
        monty._step_learning_modules(CONTEXT)
        self.assertEqual(self.diary, [("step", "LM_0", 0), ("step", "LM_1", 1)])

    def test_sets_no_targets(self) -> None:
        monty = self.make(MontyBase, 1)
        monty.sensor_module_outputs = [percept(1)]
        monty._step_learning_modules(CONTEXT)
        self.assertEqual(monty.learning_modules[0].stepwise_targets_list, [])
