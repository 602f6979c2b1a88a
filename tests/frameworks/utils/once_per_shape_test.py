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
import numpy.testing as npt

from tbp.monty.frameworks.utils.once_per_shape import once_per_shape
from tbp.monty.frameworks.utils.sensor_processing import (
    pixel_dist_to_center,
    weight_matrix,
)


class OncePerShapeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.calls: list[tuple] = []

        @once_per_shape
        def zeros(rows: int, columns: int = 2) -> np.ndarray:
            self.calls.append((rows, columns))
            return np.zeros((rows, columns), order="F")

        self.zeros = zeros

    def test_it_computes_once_for_the_same_arguments(self) -> None:
        for _ in range(3):
            self.assertEqual(self.zeros(2, columns=3).shape, (2, 3))
            self.assertEqual(self.zeros(3).shape, (3, 2))
        self.assertEqual(self.calls, [(2, 3), (3, 2)])

    def test_arguments_of_another_type_are_other_arguments(self) -> None:
        self.zeros(2)
        self.zeros(np.int64(2))
        self.assertEqual(len(self.calls), 2)

    def test_writing_into_the_result_changes_no_other_result(self) -> None:
        self.zeros(4)[:] = 1
        npt.assert_array_equal(self.zeros(4), np.zeros((4, 2)))

    def test_the_layout_in_memory_stays(self) -> None:
        self.assertTrue(self.zeros(4).flags.f_contiguous)

    def test_a_failure_is_not_remembered(self) -> None:
        for _ in range(2):
            with self.assertRaises(ValueError):
                self.zeros(-1)
        self.assertEqual(len(self.calls), 2)

    def test_few_results_are_kept(self) -> None:
        for rows in [*range(100), 0]:
            self.zeros(rows)
        self.assertEqual(len(self.calls), 101)


class PixelsOfAPatchTest(unittest.TestCase):
    def test_distances_are_those_of_the_pixels(self) -> None:
        for width in (1, 2, 7, 64):
            center = width // 2 * (width + 1)
            rows, columns = np.indices((width, width)) - width // 2
            expected = np.sqrt(columns**2 + rows**2)
            for _ in range(2):
                actual = pixel_dist_to_center(width**2, width, center)
                npt.assert_array_equal(actual, expected)

    def test_weights_depend_on_the_center_and_the_fraction(self) -> None:
        highest = [np.argmax(weight_matrix(49, center)) for center in (0, 24, 24)]
        self.assertEqual(highest, [0, 24, 24])
        wide = weight_matrix(49, 24, neighbor_patch_frac=1.0)
        narrow = weight_matrix(49, 24, neighbor_patch_frac=4.0)
        self.assertLess(wide.max(), narrow.max())
