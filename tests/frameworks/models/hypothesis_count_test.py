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

import numpy as np

from tbp.monty.backends import numba
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.stacked.residents import Residents
from tbp.monty.backends.tables.host_engine import HostEngine
from tbp.monty.backends.tables.segments import SegmentKey
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)
from tbp.monty.frameworks.models.hypothesis_count import hypothesis_count


class HypothesisCountTest(unittest.TestCase):
    def setUp(self) -> None:
        poses = np.tile(np.eye(3), (3, 1, 1))
        columns = (np.zeros(3), np.zeros((3, 3)), poses, np.zeros(3, dtype=bool))
        self.plain = Hypotheses(*columns)
        engine = HostEngine(numba)
        table = engine.make_table(0)
        segments = table.indices([SegmentKey("LM_0", "mug")])
        residents = Residents(table, engine)
        state = SimpleNamespace(
            hypotheses={"mug": HypothesisRows(*columns)}, rows_class=ResidentHypotheses
        )
        residents.begin_update("LM_0", segments, ["mug"], state)
        residents.end_update("LM_0", segments, ["mug"], None)
        self.by_graph = state.hypotheses

    def test_hypotheses_are_counted(self) -> None:
        self.assertEqual(hypothesis_count(self.plain), 3)
        self.assertEqual(hypothesis_count(self.by_graph["mug"]), 3)

    def test_those_of_a_table_are_not_read(self) -> None:
        hypothesis_count(self.by_graph["mug"])
        self.assertEqual(self.by_graph.handed_out.touched, set())

    def test_those_that_somebody_has_assigned_are_counted(self) -> None:
        self.by_graph["mug"].evidence = np.zeros(1)
        self.assertEqual(hypothesis_count(self.by_graph["mug"]), 1)
