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
import pickle
import unittest
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from tbp.monty.frameworks.utils import inverse_rotation as module
from tbp.monty.frameworks.utils.inverse_rotation import inverse_rotation
from tbp.monty.geometry import Rotation as MontyRotation


def _quaternion(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return a quaternion of which some numbers may be zero or nearly zero."""
    special = rng.choice([0.0, -0.0, 1.0, -1.0, 1e-320, -1e-200], 4)
    return np.where(rng.random(4) < rng.random(), rng.normal(size=4), special)


class InverseRotationTest(unittest.TestCase):
    def assert_as_scipy(self, rotation: Rotation) -> None:
        expected = rotation.inv()
        before = rotation.as_quat().tobytes()
        vectors = np.random.default_rng(1).normal(size=(4, 3))
        for actual in (
            inverse_rotation(rotation),
            MontyRotation(rotation).inv().as_scipy_rotation(),
        ):
            self.assertIs(type(actual), type(expected))
            self.assertEqual(actual.single, expected.single)
            for made in (actual, copy.deepcopy(actual)):
                self.assertEqual(pickle.dumps(made), pickle.dumps(expected))
            for of in (
                Rotation.as_quat,
                Rotation.as_matrix,
                Rotation.inv,
                lambda one: one * one,
                lambda one: one.apply(vectors[0]),
                lambda one: one.apply(vectors),
            ):
                self.assertEqual(pickle.dumps(of(actual)), pickle.dumps(of(expected)))
        self.assertEqual(rotation.as_quat().tobytes(), before)

    def test_bits_are_those_of_scipy(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(300):
            quaternion = _quaternion(rng)
            if np.linalg.norm(quaternion) > 0:
                self.assert_as_scipy(Rotation.from_quat(quaternion))

    def test_older_releases_of_scipy_invert_it(self) -> None:
        with patch.object(module, "_ONLY_NEGATES", False):
            self.assert_as_scipy(Rotation.from_euler("xyz", [0.1, -2.0, 0.7]))

    def test_several_rotations_are_inverted_as_by_scipy(self) -> None:
        for number in (1, 4):
            self.assert_as_scipy(Rotation.random(number, random_state=number))

    def test_the_inverse_shares_nothing_with_the_rotation(self) -> None:
        rotation = Rotation.from_euler("xyz", [0.1, -2.0, 0.7])
        state = rotation.__getstate__()[0]
        inverse = inverse_rotation(rotation).__getstate__()[0]
        self.assertFalse(np.shares_memory(inverse, state))

    def test_another_class_of_rotations_inverts_itself(self) -> None:
        class Own:
            def inv(self) -> str:
                return "inverted"

        self.assertEqual(inverse_rotation(Own()), "inverted")
