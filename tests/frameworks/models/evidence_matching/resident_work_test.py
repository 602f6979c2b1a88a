# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import unittest

import numpy as np

from tbp.monty.frameworks.models.evidence_matching.described_work import described_work
from tbp.monty.frameworks.models.evidence_matching.resident_work import (
    LMResidentState,
    resident_work,
)
from tests.frameworks.models.evidence_matching.learned import learned_lm


class ResidentWorkTest(unittest.TestCase):
    def test_it_is_the_described_work_with_another_state(self) -> None:
        lm, displacement = learned_lm(), np.zeros(3)
        features: dict = {"patch": {}}
        expected = vars(described_work(lm, features, displacement))
        found = vars(resident_work(lm, features, displacement))
        self.assertIsInstance(found.pop("state"), LMResidentState)
        del expected["state"]
        updates = expected.pop("update_graph"), found.pop("update_graph")
        self.assertEqual(*((one.func, one.args) for one in updates))
        self.assertEqual(found, expected)


class StoredGraphsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.lm = learned_lm()
        self.memory = self.lm.graph_memory
        self.state = LMResidentState(self.lm, {})
        self.graph_id, *_ = self.memory.models_in_memory
        self.channel, *_ = self.memory.models_in_memory[self.graph_id]

    def test_what_stands_for_them_stays_the_same_while_nothing_changes(self) -> None:
        before = self.state.stored(None)
        self.assertIs(self.state.stored(before), before)

    def test_another_object_stands_for_changed_graphs(self) -> None:
        changes = {
            "model": self.replace_model,
            "its graph": self.replace_graph,
            "feature array": self.replace_array,
            "removed": lambda: self.memory.models_in_memory.pop(self.graph_id),
            "added": self.add,
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.setUp()
                before = self.state.stored(None)
                change()
                now = self.state.stored(before)
                self.assertIsNot(now, before)
                self.assertIs(self.state.stored(now), now)

    def replace_model(self) -> None:
        channels = self.memory.models_in_memory[self.graph_id]
        channels[self.channel] = copy.copy(channels[self.channel])

    def replace_graph(self) -> None:
        model = self.memory.models_in_memory[self.graph_id][self.channel]
        model._graph = copy.copy(model._graph)

    def replace_array(self) -> None:
        channels = self.memory.feature_array[self.graph_id]
        channels[self.channel] = np.array(channels[self.channel])

    def add(self) -> None:
        channels = self.memory.models_in_memory[self.graph_id]
        self.memory.models_in_memory["another"] = dict(channels)
