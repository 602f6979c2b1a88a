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
import numpy.testing as npt

from tbp.monty.frameworks.environment_utils import pixel_positions as module
from tbp.monty.frameworks.environment_utils.pixel_positions import pixel_positions

SCALING = np.diag([0.1, 0.3, 1.0, 1.0])


def by_a_product(depth: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    x, y = np.meshgrid(
        np.linspace(-1, 1, depth.shape[2]), np.linspace(1, -1, depth.shape[1])
    )
    seen = np.vstack([x * depth, y * depth, -depth, np.ones(depth.shape)])
    return inverse @ seen.reshape(4, -1)


class PixelPositionsTest(unittest.TestCase):
    def check(self, depth: np.ndarray, inverse: np.ndarray) -> None:
        product = by_a_product(depth, inverse)
        for actual, expected in zip(
            pixel_positions(depth, inverse), (product, product.T.copy()), strict=True
        ):
            self.assertEqual(actual.strides, expected.strides)
            self.assertEqual(actual.tobytes(), expected.tobytes())

    def test_positions_go_to_the_right_and_up(self) -> None:
        actual, _ = pixel_positions(np.full((1, 2, 3), 2.0), SCALING)
        expected = [
            [-0.2, 0, 0.2, -0.2, 0, 0.2],
            [0.6, 0.6, 0.6, -0.6, -0.6, -0.6],
            [-2] * 6,
            [1] * 6,
        ]
        npt.assert_allclose(actual, expected)

    def test_positions_are_those_of_a_product(self) -> None:
        rng = np.random.default_rng(0)
        for shape in [(1, 1, 1), (1, 2, 3), (1, 64, 64), (1, 70, 17)]:
            for dtype in (np.float32, np.float64):
                depth = rng.random(shape).astype(dtype)
                depth[rng.random(shape) < 0.2] = 0
                depth[rng.random(shape) < 0.2] *= -1
                with patch.object(module.np, "matmul", side_effect=AssertionError):
                    self.check(depth, SCALING)

    def test_another_matrix_is_multiplied(self) -> None:
        depth = np.random.default_rng(1).random((1, 8, 8))
        for row, column in [(0, 1), (2, 2), (3, 0), (3, 3)]:
            inverse = SCALING.copy()
            inverse[row, column] = 0.5
            self.check(depth, inverse)

    def test_a_depth_that_is_not_finite_is_multiplied(self) -> None:
        depth = np.full((1, 2, 2), 0.5)
        depth[0, 0, 1] = np.inf
        with np.errstate(invalid="ignore"):
            positions, rows = pixel_positions(depth, SCALING)
        self.assertTrue(np.isnan(positions[3, 1]))
        npt.assert_array_equal(positions, rows.T)

    def test_positions_are_not_kept(self) -> None:
        depth = np.full((1, 2, 2), 0.5)
        positions, rows = pixel_positions(depth, SCALING)
        positions[:] = 7
        self.assertFalse(np.any(rows == 7))
        self.check(depth, SCALING)
