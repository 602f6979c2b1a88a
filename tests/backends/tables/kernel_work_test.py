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
import warnings

import numpy as np

from tbp.monty.backends.numpy.numbers import LARGEST, UnusableNumbers
from tests.backends.scenes import build, random_scene

BEYOND = np.nextafter(LARGEST, np.inf)


class CheckTest(unittest.TestCase):
    def check(self, field: str, value: float, *, everywhere: bool = False) -> None:
        table, _, work = build([random_scene(3, hypotheses=4, nodes=4)])
        numbers = getattr(work, field).copy()
        numbers.flat[slice(None) if everywhere else -1] = value
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            work._replace(**{field: numbers}).check(table)

    def test_large_numbers_are_usable_up_to_a_limit(self) -> None:
        for field in ("displacements", "sensed"):
            for value in (0.0, 1.0, 1e80, LARGEST, -LARGEST):
                self.check(field, value)
                self.check(field, value, everywhere=True)
            for value in (BEYOND, -BEYOND, 1e300, np.inf, -np.inf, np.nan):
                with self.subTest(field, value=value):
                    self.assertRaises(UnusableNumbers, self.check, field, value)

    def test_any_curvature_but_nan_is_usable(self) -> None:
        for value in (0.0, BEYOND, 1e300, np.inf, -np.inf):
            self.check("curvatures", value)
        self.assertRaises(UnusableNumbers, self.check, "curvatures", np.nan)


if __name__ == "__main__":
    unittest.main()
