# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import unittest
from enum import Enum
from typing import Any
from unittest.mock import Mock

import numpy as np
import numpy.testing as npt

from tbp.monty.frameworks.models.buffer import FeatureAtLocationBuffer
from tbp.monty.frameworks.models.feature_rows import (
    FeatureRows,
    add_displacement,
    add_features,
    count_steps,
    nth_row,
)
from tbp.monty.geometry import SurfacePoseVectors

NAN = np.nan


def first(*row: float) -> FeatureRows:
    arrays = FeatureRows()
    arrays["a"] = np.array([row], float)
    return arrays


def add_row(arrays: FeatureRows, name: str, value: Any, length: int) -> bool:
    return arrays.add({name: value}, length - 1)


class Measured(float):
    """A number with a value that is not it."""

    value = 7.0


class Level(Enum):
    HIGH = 1.0


class AddRowTest(unittest.TestCase):
    def test_a_value_is_the_last_row(self) -> None:
        for value, expected in (
            (2.5, [2.5]),
            (True, [1.0]),
            (np.float64(3), [3.0]),
            (np.array([[1, 2], [3, 4]]), [1, 2, 3, 4]),
            (np.arange(3, dtype=np.float32), [0, 1, 2]),
            (SurfacePoseVectors(np.eye(3)), np.eye(3).ravel()),
            (Measured(2.0), [2.0]),
        ):
            arrays = first(*np.zeros(len(expected)))
            self.assertTrue(add_row(arrays, "a", value, 2))
            npt.assert_array_equal(arrays["a"], [np.zeros(len(expected)), expected])
            self.assertIs(type(arrays["a"]), np.ndarray)
            self.assertEqual(arrays["a"].dtype, np.float64)
            self.assertTrue(arrays["a"].flags.c_contiguous)

    def test_steps_without_a_value_are_nan(self) -> None:
        arrays = first(1, 1)
        add_row(arrays, "a", np.array([2, 2]), 2)
        add_row(arrays, "a", np.array([5, 5]), 5)
        npt.assert_array_equal(arrays["a"][:, 0], [1, 2, NAN, NAN, 5])

    def test_steps_before_the_first_value_are_nan(self) -> None:
        for value, expected in ((2.5, [2.5]), (np.eye(2), [1, 0, 0, 1])):
            for steps in (0, 1, 20):
                arrays = FeatureRows()
                self.assertTrue(add_row(arrays, "a", value, steps + 1))
                npt.assert_array_equal(
                    arrays["a"], [*np.full((steps, len(expected)), NAN), expected]
                )

    def test_a_row_that_is_there_is_left_to_the_caller(self) -> None:
        arrays = first(1)
        self.assertFalse(add_row(arrays, "a", 3.0, 1))
        npt.assert_array_equal(arrays["a"], [[1]])

    def test_what_is_unusual_is_left_to_the_caller(self) -> None:
        arrays = first(1, 1)
        for name, value in (
            *(("a", 1.0), ("a", np.ones(3)), ("a", [1, 2]), ("b", [1])),
            *(("a", np.ma.array([1.0, 2.0], mask=[0, 1])), ("b", Level.HIGH)),
        ):
            self.assertFalse(add_row(arrays, name, value, 2))
        npt.assert_array_equal(arrays["a"], [[1, 1]])
        self.assertNotIn("b", arrays)

    def test_arrays_in_another_dict_are_left_to_the_caller(self) -> None:
        buffer: Any = FeatureAtLocationBuffer()
        percept: Any = Mock(sender_id="patch", displacement={"ppf": np.ones(4)})
        percept.morphological_features = percept.non_morphological_features = {}
        percept.get_on_object.return_value = True
        for rows, is_added in ((FeatureRows, True), (dict, False)):
            buffer.features["patch"], buffer.displacements = rows(), rows()
            self.assertIs(add_features(buffer, percept), is_added)
            self.assertIs(add_displacement(buffer, percept, np.ones(3)), is_added)
            self.assertEqual(buffer.last_location is not None, is_added)
            buffer.last_location = None

    def test_a_copy_is_a_plain_dict_with_all_rows(self) -> None:
        arrays = first(0)
        add_row(arrays, "a", 1.0, 2)
        copied = copy.deepcopy(arrays)
        self.assertIs(type(copied), dict)
        npt.assert_array_equal(copied["a"], [[0], [1]])

    def test_arrays_of_before_keep_their_rows(self) -> None:
        arrays = first(0)
        kept = []
        for step in range(1, 100):
            add_row(arrays, "a", float(step), step + 1)
            kept.append(arrays["a"])
        for step, array in enumerate(kept, start=1):
            npt.assert_array_equal(array[:, 0], np.arange(step + 1))

    def test_an_array_of_before_can_be_put_back(self) -> None:
        arrays = first(0)
        add_row(arrays, "a", 1.0, 2)
        former = arrays["a"]
        add_row(arrays, "a", 2.0, 3)
        longer = arrays["a"]
        for put_back in (
            former,
            former[:],
            former[1:],
            longer[::-1],
            copy.deepcopy(former),
        ):
            arrays["a"] = put_back
            add_row(arrays, "a", 7.0, len(put_back) + 1)
            npt.assert_array_equal(arrays["a"], [*put_back, [7]])
            npt.assert_array_equal(longer[:, 0], [0, 1, 2])

    def test_rows_are_added_without_making_the_array(self) -> None:
        arrays = first(0)
        for step in range(1, 1000):
            add_row(arrays, "a", float(step), step + 1)
            self.assertEqual(arrays.not_asked_for(), ["a"])
        npt.assert_array_equal(arrays["a"][:, 0], np.arange(1000))

    def test_an_array_without_rows_takes_any(self) -> None:
        arrays = FeatureRows()
        arrays["a"] = np.empty((0, 0))
        self.assertTrue(add_row(arrays, "a", np.ones(2), 1))
        npt.assert_array_equal(arrays["a"], [[1, 1]])

    def test_an_array_of_empty_rows_gets_wider_ones(self) -> None:
        arrays = FeatureRows()
        arrays["a"] = np.empty((2, 0))
        self.assertTrue(add_row(arrays, "a", np.ones(1), 3))
        npt.assert_array_equal(arrays["a"], [[NAN], [NAN], [1]])

    def test_an_array_that_is_assigned_replaces_the_rows(self) -> None:
        arrays = FeatureRows()
        add_row(arrays, "a", 1.0, 1)
        arrays["a"] = np.array([[5.0]])
        add_row(arrays, "a", 2.0, 2)
        npt.assert_array_equal(arrays["a"], [[5], [2]])

    def test_a_kept_array_and_the_buffer_do_not_change_each_other(self) -> None:
        for part in (np.asarray, lambda array: array[1:], lambda array: array[:, 0]):
            arrays = first(0)
            for step in range(1, 4):
                add_row(arrays, "a", float(step), step + 1)
            kept = part(arrays["a"])
            before = kept.copy()
            add_row(arrays, "a", 4.0, 5)
            arrays["a"][:] += 10
            npt.assert_array_equal(kept, before)
            kept[:] = NAN
            npt.assert_array_equal(arrays["a"][:, 0], np.arange(10, 15))

    def test_rows_are_those_of_the_array(self) -> None:
        arrays = first(0)
        for step in range(1, 40):
            add_row(arrays, "a", float(step), step + 1 + step // 30)
            last = nth_row(arrays, "a", -1)
            npt.assert_array_equal(last, arrays["a"][-1])
            npt.assert_array_equal(nth_row(arrays, "a", -1), [step])
            npt.assert_array_equal(nth_row(arrays, "a", step // 2), [step // 2])
            arrays["a"] = arrays["a"] * 1.0
            npt.assert_array_equal(nth_row(arrays, "a", -1), [step])
        npt.assert_array_equal(nth_row({"a": np.eye(2)}, "a", -1), [0, 1])
        with self.assertRaises(KeyError):
            nth_row(arrays, "b", -1)

    def test_a_last_row_is_copied_without_making_the_array(self) -> None:
        arrays = FeatureRows()
        add_row(arrays, "a", np.ones(3), 1)
        nth_row(arrays, "a", -1)[0] = 5
        self.assertEqual(arrays.not_asked_for(), ["a"])
        npt.assert_array_equal(arrays["a"], [[1, 1, 1]])

    def test_a_feature_that_was_deleted_begins_again(self) -> None:
        arrays = first(1)
        add_row(arrays, "a", 2.0, 2)
        del arrays["a"]
        self.assertTrue(add_row(arrays, "a", np.array([3, 4]), 3))
        npt.assert_array_equal(arrays["a"], [[NAN, NAN], [NAN, NAN], [3, 4]])

    def test_a_feature_that_was_deleted_has_no_last_row(self) -> None:
        arrays = first(1)
        add_row(arrays, "a", 2.0, 2)
        del arrays["a"]
        with self.assertRaises(KeyError):
            nth_row(arrays, "a", -1)

    def test_a_part_of_it_in_its_place_has_a_row_more(self) -> None:
        arrays = first(0)
        for step in range(1, 4):
            add_row(arrays, "a", float(step), step + 1)
        arrays["a"] = arrays["a"][1:]
        add_row(arrays, "a", 4.0, 4)
        npt.assert_array_equal(arrays["a"][:, 0], [1, 2, 3, 4])

    def test_a_buffer_still_refuses_values_of_another_length(self) -> None:
        buffer: Any = FeatureAtLocationBuffer()
        buffer.features["patch"] = FeatureRows()
        buffer._add_attr_to_feature_buffer("patch", "hsv", np.ones(3))
        buffer.on_object.append(True)
        with self.assertRaisesRegex(ValueError, "mismatch"):
            buffer._add_attr_to_feature_buffer("patch", "hsv", np.ones(2))


class CountStepsTest(unittest.TestCase):
    def test_the_number_is_that_of_numpy(self) -> None:
        for processed in ([], [False], [True], [True, False, True]):
            counted = count_steps(processed)
            self.assertEqual(counted, np.sum(processed))
            self.assertIs(type(counted), type(np.sum(processed)))


if __name__ == "__main__":
    unittest.main()
