# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Every learning module of an experiment dispatches before any reads a result."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

import pytest

from tests.fork import instrumented_backend
from tests.fork.parity import actions_from, assert_parity
from tests.installed_backend import installed_backend

FIVE = ("test/evidence_lm/five_lm_mujoco", actions_from("actions.jsonl"))


class TwoPhaseTest(unittest.TestCase):
    @pytest.mark.thorough
    def test_five_learning_modules_dispatch_before_the_first_result(self) -> None:
        module = Path(instrumented_backend.__file__)
        with installed_backend("instrumented", module, "Instrumented") as folder:
            assert_parity(*FIVE, "--episodes=:3")
            events = json.loads((folder / "events.json").read_text())
        steps = _between_votes(events)
        self.assertGreater(len(steps), 3)
        all_five = 0
        for step in steps:
            phases = [phase for phase, _ in step]
            count = phases.count("dispatch")
            self.assertEqual(phases, ["dispatch"] * count + ["result"] * count)
            all_five += count == 5
        self.assertGreater(all_five, 3, steps)
        # Nothing is pending at any vote, nor when the experiment closes the backend.
        settled = [pending for phase, pending in events if phase in ("vote", "close")]
        self.assertEqual(set(settled), {0})
        self.assertEqual(events[-1][0], "close")


def _between_votes(events: list) -> list[list]:
    steps: list[list] = [[]]
    for event in events:
        if event[0] == "vote":
            steps.append([])
        elif event[0] != "close":
            steps[-1].append(event)
    return [step for step in steps if step]
