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

from tbp.monty.frameworks.utils.all_true import all_true


class AllTrueTest(unittest.TestCase):
    def test_it_is_what_numpy_says(self) -> None:
        angles = np.array([0.1, -0.0, np.nan])
        for compared in (
            ["mug", "bowl"] != ["mug", "bowl"],
            ["mug", None] != ["mug", "bowl"],
            angles != angles.copy(),
            angles != angles[::-1],
            angles != angles + 1,
            angles[:0] != angles[:0],
            [True, False],
        ):
            with self.subTest(compared):
                self.assertEqual(bool(all_true(compared)), bool(np.all(compared)))


if __name__ == "__main__":
    unittest.main()
