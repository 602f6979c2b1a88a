# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import logging
import unittest
from types import SimpleNamespace
from unittest import mock

from tbp.monty.frameworks.models import graph_matching, monty_base
from tests.frameworks.models.step_learning_modules_test import (
    CONTEXT,
    StepLearningModulesTestCase,
    percept,
)


class StepEventsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.monty = SimpleNamespace(
            total_steps=6,
            episode_steps=5,
            matching_steps=4,
            exploratory_steps=0,
            step_type="matching_step",
        )

    def step(self) -> None:
        monty_base.MontyBase.update_step_counters(self.monty)

    def test_a_step_is_an_event_when_telemetry_is_on(self) -> None:
        with self.assertLogs(monty_base.telemeter, logging.INFO) as logs:
            self.step()
        [record] = logs.records
        self.assertEqual(record.msg.kind, "GlobalMatchingStep")
        self.assertEqual(record.msg.matching_steps, 5)
        self.assertEqual(record.funcName, "update_step_counters")

    def test_no_event_is_made_when_telemetry_is_off(self) -> None:
        off = mock.patch.object(monty_base.telemeter, "isEnabledFor", return_value=0)
        with off, mock.patch.object(monty_base, "TelemetryEvent") as event:
            self.step()
        event.assert_not_called()
        self.assertEqual(self.monty.matching_steps, 5)


class ListedInputsTest(StepLearningModulesTestCase):
    def test_inputs_are_not_listed_when_they_are_not_logged(self) -> None:
        monty = self.make(graph_matching.MontyForGraphMatching, 1)
        without_sender = percept(1)
        del without_sender.sender_id
        monty.sensor_module_outputs = [without_sender]
        logger = graph_matching.logger
        with mock.patch.object(logger, "isEnabledFor", return_value=False):
            monty._step_learning_modules(CONTEXT)
        self.assertEqual(self.diary, [("step", "LM_0", 1), ("note", "LM_0", True)])
