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
from typing import Any

from tbp.monty.backends.builtin.numpy import NumpyBackend
from tbp.monty.backends.stacked.backend import StackedBackend


class CanRunTest(unittest.TestCase):
    def test_refuses_what_is_not_described_as_numpy_does(self) -> None:
        work: Any = object()
        answers = [
            backend.can_run(work)
            for backend in (NumpyBackend(), StackedBackend(open_engine=self.fail))
        ]
        self.assertEqual(answers, ["the work has no description"] * 2)


if __name__ == "__main__":
    unittest.main()
