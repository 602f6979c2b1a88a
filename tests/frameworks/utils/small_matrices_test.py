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

from tbp.monty.frameworks.utils import small_matrices
from tbp.monty.frameworks.utils.small_matrices import (
    all_real,
    condition_number,
    eigen,
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


class AllRealTest(unittest.TestCase):
    def test_it_is_true_without_imaginary_parts(self) -> None:
        for real in (np.zeros(3), np.array([np.nan, np.inf]), np.zeros((2, 2), "c16")):
            self.assertTrue(all_real(real))

    def test_one_imaginary_part_is_enough(self) -> None:
        for part in (1e-300j, 1j, complex(0, np.nan)):
            self.assertFalse(all_real(np.array([1, part])))


class EigenTest(unittest.TestCase):
    def assert_as_numpy(self, matrix: np.ndarray) -> None:
        try:
            expected = np.linalg.eig(matrix)
        except np.linalg.LinAlgError as error:
            with self.assertRaisesRegex(np.linalg.LinAlgError, str(error)):
                eigen(matrix)
            return
        with np.errstate(all="raise"):
            actual = eigen(matrix)
        for found, wanted in zip(actual, expected, strict=True):
            self.assertEqual(found.tobytes(), wanted.tobytes())
            self.assertEqual(
                (type(found), found.dtype, found.shape, found.strides),
                (type(wanted), wanted.dtype, wanted.shape, wanted.strides),
            )

    def test_bits_are_those_of_numpy(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(1000):
            size = rng.integers(1, 5)
            rows = rng.normal(size=(size + rng.integers(3), size))
            rows *= 10.0 ** rng.integers(-12, 12, size)
            self.assert_as_numpy(rows.T @ rows)
            self.assert_as_numpy(rng.normal(size=(size, size)))
            self.assert_as_numpy(rng.normal(size=(size, size)).T)

    def test_degenerate_matrices_are_as_those_of_numpy(self) -> None:
        for matrix in DEGENERATE:
            with self.subTest(matrix=matrix):
                self.assert_as_numpy(matrix)

    def test_real_eigenvalues_are_computed_at_once(self) -> None:
        with patch.object(np.linalg, "eig", wraps=np.linalg.eig) as checked:
            eigen(np.eye(3))
            checked.assert_not_called()
            eigen(np.array([[0.0, -1.0], [1.0, 0.0]]))
            checked.assert_called_once()

    def test_eigenvalues_that_are_not_found_are_an_error(self) -> None:
        matrix, unknown = np.eye(3), np.full(3, complex(np.nan, np.nan))
        with (
            patch.object(small_matrices, "_EIGEN", return_value=(unknown, unknown)),
            patch.object(np.linalg, "eig", side_effect=np.linalg.LinAlgError("no")),
            self.assertRaisesRegex(np.linalg.LinAlgError, "no"),
        ):
            eigen(matrix)

    def test_numpy_may_lack_its_own_functions(self) -> None:
        with patch.multiple(small_matrices, _EIGEN=None, _SINGULAR_VALUES=None):
            self.assert_as_numpy(np.diag([3.0, 1.0]))
            self.assertEqual(condition_number(np.diag([3.0, 1.0])), 3.0)


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
