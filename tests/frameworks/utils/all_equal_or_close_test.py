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

from tbp.monty.frameworks.utils.all_equal_or_close import all_equal_or_close


class AllEqualOrCloseTest(unittest.TestCase):
    def test_it_is_the_answer_of_numpy(self) -> None:
        rng = np.random.default_rng(0)
        answers = []
        for _ in range(2_000):
            first = rng.normal(size=(3, 3))
            second = first.copy()
            change = rng.choice([0, 1e-16, 1e-9, 1e-5, 1e-3])
            second += change * rng.normal(size=(3, 3))
            for array in (first, second):
                if rng.random() < 0.2:
                    array[0, 0] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0])
            answer = all_equal_or_close(first, second)
            self.assertIs(answer, np.allclose(first, second))
            answers.append(answer)
        self.assertGreater(sum(answers), 400)
        self.assertGreater(len(answers) - sum(answers), 400)

    def test_a_symmetric_matrix_equals_its_transpose(self) -> None:
        rows = np.random.default_rng(1).normal(size=(1_000, 3))
        matrix = rows.T @ rows
        self.assertIs(all_equal_or_close(matrix, matrix.T), True)
