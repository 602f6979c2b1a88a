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

from tbp.monty.backends.device.column import DeviceColumn
from tbp.monty.backends.device.counting import CountingStream
from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.stacked.residents import Residents
from tests.backends.cuda.host_device import HostStream
from tests.backends.stacked.residents_test import KEY, State, rows


class KeptColumnTest(unittest.TestCase):
    """Somebody keeps a column of a learning module's hypotheses across an update."""

    def setUp(self) -> None:
        self.stream = CountingStream(HostStream())
        self.table = DeviceHypothesisTable(self.stream)
        self.segment = self.table.index(KEY)
        self.table.append(self.segment, rows(4, evidence=1.0))
        self.residents = Residents(self.table, DeviceEngine(self.stream))
        self.state = State()
        self.state.hypotheses["mug"] = rows(4, evidence=1.0)
        self.update(1.0)
        self.hypotheses = self.state.hypotheses["mug"]

    def update(self, evidence: float) -> np.ndarray:
        """Update all evidence.

        Returns:
            The evidence in the table before.
        """
        known = [self.segment], ["mug"]
        self.residents.begin_update("lm", *known, self.state)
        before = self.table.read(self.segment, "evidence")
        self.table.write(self.segment, "evidence", np.full(4, evidence))
        self.residents.end_update("lm", None)
        return before

    def test_it_keeps_its_values(self) -> None:
        column = self.hypotheses.evidence
        self.assertIsInstance(column, DeviceColumn)
        del self.hypotheses
        moved = self.stream.moved.from_device
        self.update(7.0)
        np.testing.assert_array_equal(np.asarray(column), 1.0)
        # Of this column, and by `update` itself: no other column is copied.
        evidence_bytes = 4 * 8
        self.assertEqual(self.stream.moved.from_device - moved, 2 * evidence_bytes)

    def test_it_keeps_its_values_when_another_array_is_assigned(self) -> None:
        column = self.hypotheses.evidence
        self.hypotheses.evidence = np.full(4, 5.0)
        np.testing.assert_array_equal(np.asarray(column), 1.0)
        np.testing.assert_array_equal(self.update(7.0), 5.0)
        np.testing.assert_array_equal(np.asarray(column), 1.0)
        np.testing.assert_array_equal(self.state.hypotheses["mug"].evidence, 7.0)

    def test_what_is_written_to_it_after_a_displacement_reaches_the_table(self) -> None:
        column = self.hypotheses.evidence
        displaced = self.hypotheses.displaced(np.ones(3))
        dict.__setitem__(self.state.hypotheses, "mug", displaced)
        column[:] = 5.0
        np.testing.assert_array_equal(self.update(7.0), 5.0)
        np.testing.assert_array_equal(np.asarray(column), 5.0)


if __name__ == "__main__":
    unittest.main()
