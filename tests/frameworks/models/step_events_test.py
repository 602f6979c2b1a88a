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

from tbp.monty.frameworks.models import monty_base


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
