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
from unittest.mock import patch

import numpy as np

from tbp.monty.frameworks.utils.small_matrices import (
    all_equal_or_close,
    all_real,
    condition_number,
)

DEGENERATE = (
    np.zeros((3, 3)),
    np.ones((3, 3)),
    np.diag([1e300, 1e-300]),
    np.diag([1e308, 1e308]),
    np.diag([1.0, 0.0]),
    np.diag([np.nan, 1.0]),
    np.diag([np.inf, 1.0]),
    np.zeros((0, 0)),
    np.stack([np.eye(2), np.ones((2, 2))]),
    np.eye(3, dtype=np.float32) * 7,
    np.eye(3, dtype=int),
    np.eye(3)[:2],
)


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


class AllRealTest(unittest.TestCase):
    def test_it_is_true_without_imaginary_parts(self) -> None:
        for real in (np.zeros(3), np.array([np.nan, np.inf]), np.zeros((2, 2), "c16")):
            self.assertTrue(all_real(real))

    def test_one_imaginary_part_is_enough(self) -> None:
        for part in (1e-300j, 1j, complex(0, np.nan)):
            self.assertFalse(all_real(np.array([1, part])))


class ConditionNumberTest(unittest.TestCase):
    def assert_as_numpy(self, matrix: np.ndarray) -> None:
        try:
            with np.errstate(all="ignore"):
                expected = np.linalg.cond(matrix)
        except np.linalg.LinAlgError as error:
            with self.assertRaisesRegex(np.linalg.LinAlgError, str(error)):
                condition_number(matrix)
            return
        with np.errstate(all="raise"):
            actual = condition_number(matrix)
        self.assertEqual(np.asarray(actual).tobytes(), np.asarray(expected).tobytes())
        self.assertIs(type(actual), type(expected))

    def test_bits_are_those_of_numpy(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(2000):
            size = rng.integers(1, 7)
            rows = rng.normal(size=(size + rng.integers(3), size))
            rows *= 10.0 ** rng.integers(-12, 12, size)
            self.assert_as_numpy(rows.T @ rows)

    def test_degenerate_matrices_are_as_those_of_numpy(self) -> None:
        for matrix in DEGENERATE:
            with self.subTest(matrix=matrix):
                self.assert_as_numpy(matrix)

    def test_one_matrix_is_not_left_to_cond(self) -> None:
        with patch.object(np.linalg, "cond", side_effect=AssertionError):
            self.assertEqual(condition_number(np.diag([3.0, 1.0])), 3.0)
