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
from typing import Any

from tbp.monty.backends.failures import CannotRun
from tbp.monty.backends.stacked.backend import StackedBackend
from tbp.monty.backends.work import EvidenceOutcome, EvidenceWork
from tests.backends.scene_lms import SceneLM


class CannotRunTest(unittest.TestCase):
    def assert_refused(self, work: EvidenceWork, why: str) -> None:
        with self.assertRaisesRegex(CannotRun, why):
            StackedBackend(open_engine=self.fail).dispatch(work)

    def test_an_update_without_description(self) -> None:
        self.assert_refused(EvidenceWork("LM_0", EvidenceOutcome), "no description")

    def test_an_unknown_update(self) -> None:
        self.assert_refused(SceneLM(0, "other").next_work(), "'other'")

    def test_more_neighbors_than_a_kernel_has_memory_for(self) -> None:
        for neighbors in (0, 65):
            work: Any = SceneLM(0, "default").next_work()
            update = work.describe()
            settings = {**update.settings, "max_nneighbors": neighbors}
            work.describe = lambda u=update, s=settings: replace(u, settings=s)
            self.assert_refused(work, f"max_nneighbors is {neighbors}")


if __name__ == "__main__":
    unittest.main()
