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
from unittest.mock import Mock, patch

import numpy as np

from tbp.monty.backends import numba
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.stacked.residents import Residents
from tbp.monty.backends.tables.host_engine import HostEngine
from tbp.monty.backends.tables.segments import SegmentKey
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.displace_in_table import (
    displace_in_table,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_displacer import (
    DefaultHypothesesDisplacer,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)

BY = np.array([1.0, 2.0, 3.0])


class OwnUpdater(DefaultHypothesesUpdater):
    def displace_hypotheses(self, hypotheses, displacement, graph_id):  # noqa: ARG002
        return hypotheses


class OwnDisplacer(DefaultHypothesesDisplacer):
    def displace_hypotheses(self, displacement, hypotheses):  # noqa: ARG002
        return hypotheses


def rows() -> HypothesisRows:
    poses = np.tile(np.eye(3), (2, 1, 1))
    return HypothesisRows(np.zeros(2), np.zeros((2, 3)), poses, np.zeros(2, dtype=bool))


def learning_module(
    updater: type = DefaultHypothesesUpdater,
    displacer: type = DefaultHypothesesDisplacer,
) -> SimpleNamespace:
    """Return what is asked of a learning module, with hypotheses in a table."""
    engine = HostEngine(numba)
    table = engine.make_table(0)
    graph_ids = ["mug", "cup"]
    state = SimpleNamespace(
        hypotheses={graph_id: rows() for graph_id in graph_ids},
        rows_class=ResidentHypotheses,
    )
    segments = table.indices([SegmentKey("lm", graph_id) for graph_id in graph_ids])
    residents = Residents(table, engine)
    residents.begin_update("lm", segments, graph_ids, state)
    residents.end_update("lm", None)
    its_updater = updater.__new__(updater)
    its_updater._hypotheses_displacer = displacer.__new__(displacer)
    return SimpleNamespace(_hypotheses=state.hypotheses, hypotheses_updater=its_updater)


class DisplaceInTableTest(unittest.TestCase):
    def test_what_a_table_holds_is_displaced_at_once(self) -> None:
        for updater in (DefaultHypothesesUpdater, BurstSamplingHypothesesUpdater):
            lm = learning_module(updater)
            asked_for = lm._hypotheses["mug"]
            self.assertEqual(list(displace_in_table(lm, BY)), [])
            for hypotheses in lm._hypotheses.values():
                np.testing.assert_array_equal(hypotheses.locations, [BY, BY])
            np.testing.assert_array_equal(asked_for.locations, np.zeros((2, 3)))

    def test_hypotheses_of_the_learning_module_itself_are_left_to_it(self) -> None:
        lm = learning_module()
        lm._hypotheses["mug"] = own = rows()
        self.assertEqual(list(displace_in_table(lm, BY)), [("mug", own)])
        np.testing.assert_array_equal(lm._hypotheses["cup"].locations, [BY, BY])

    def test_who_displaces_in_another_way_is_asked_for_each_graph(self) -> None:
        patched = learning_module()
        patched.hypotheses_updater.displace_hypotheses = Mock()
        for lm in (
            learning_module(updater=OwnUpdater),
            learning_module(displacer=OwnDisplacer),
            patched,
        ):
            left = dict(displace_in_table(lm, BY))
            self.assertEqual(list(left), ["mug", "cup"])
            np.testing.assert_array_equal(left["cup"].locations, np.zeros((2, 3)))

    def test_a_method_replaced_on_the_class_is_called_for_each_graph(self) -> None:
        for known, own in (
            (DefaultHypothesesUpdater, OwnUpdater),
            (DefaultHypothesesDisplacer, OwnDisplacer),
        ):
            lm, method = learning_module(), "displace_hypotheses"
            with patch.object(known, method, getattr(own, method)):
                self.assertEqual(len(list(displace_in_table(lm, BY))), 2)
            self.assertEqual(list(displace_in_table(lm, BY)), [])
