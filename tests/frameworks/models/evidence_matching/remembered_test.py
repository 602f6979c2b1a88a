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

from tbp.monty.frameworks.models.evidence_matching.remembered import remembered
from tbp.monty.geometry import Rotation


class RememberedTest(unittest.TestCase):
    def test_the_same_numbers_give_the_same_object(self) -> None:
        pose = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
        first = remembered(Rotation.from_matrix, pose)
        self.assertIs(remembered(Rotation.from_matrix, pose.copy()), first)
        self.assertIs(remembered(Rotation.from_matrix, pose[:, ::-1][:, ::-1]), first)

    def test_it_is_what_the_function_makes(self) -> None:
        poses = Rotation.from_euler("xyz", np.linspace(-3, 3, 30).reshape(10, 3))
        for pose in poses.as_matrix():
            np.testing.assert_array_equal(
                remembered(Rotation.from_matrix, pose).as_quat(),
                Rotation.from_matrix(pose).as_quat(),
            )

    def test_other_numbers_shapes_types_or_functions_give_another(self) -> None:
        zeros = np.zeros(4)
        made = [
            remembered(np.array, zeros),
            remembered(np.array, -zeros),
            remembered(np.array, zeros.reshape(2, 2)),
            remembered(np.array, zeros.astype(np.int64)),
            remembered(np.copy, zeros),
        ]
        self.assertEqual(len({id(one) for one in made}), len(made))

    def test_an_array_that_changes_later_changes_nothing(self) -> None:
        array = np.array([1.0, 2.0])
        made = remembered(np.asarray, array)
        array[0] = 7.0
        self.assertEqual(made.tolist(), [1.0, 2.0])
        self.assertIs(remembered(np.asarray, np.array([1.0, 2.0])), made)


if __name__ == "__main__":
    unittest.main()
