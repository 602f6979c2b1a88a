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
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Callable

import numpy as np

from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.frameworks.models.evidence_matching.mlh_rotations import MLHRotations
from tbp.monty.frameworks.models.evidence_matching.unread_orientation import (
    UnreadOrientation,
    unread_orientation,
)
from tbp.monty.frameworks.utils.unused_rotation import UnusedRotation, rotation_of_pose
from tbp.monty.geometry import OrientationMatrix, Rotation

POSE = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()


class OwnLM(EvidenceGraphLM):
    def _object_pose_to_features(self, pose: Rotation | None) -> OrientationMatrix:
        assert pose is not None
        return OrientationMatrix(2 * pose.as_matrix())


def learning_module(lm_class: type[EvidenceGraphLM]) -> EvidenceGraphLM:
    lm = lm_class.__new__(lm_class)
    lm._mlh_rotations = MLHRotations()
    return lm


def sent() -> OrientationMatrix:
    return unread_orientation(learning_module(EvidenceGraphLM), rotation_of_pose(POSE))


class UnreadOrientationTest(unittest.TestCase):
    def setUp(self) -> None:
        self.expected = Rotation.from_matrix(POSE).inv().as_matrix().T

    def assert_plain(self, orientation: OrientationMatrix) -> None:
        self.assertIs(type(orientation), OrientationMatrix)
        self.assertEqual(list(vars(orientation)), ["value"])
        self.assertEqual(orientation.value.tobytes(), self.expected.tobytes())

    def test_it_is_made_when_it_is_read(self) -> None:
        rotation = rotation_of_pose(POSE)
        orientation = unread_orientation(learning_module(EvidenceGraphLM), rotation)
        self.assertIs(type(orientation), UnreadOrientation)
        self.assertIsInstance(rotation, UnusedRotation)
        _ = orientation.value
        self.assert_plain(orientation)

    def test_what_is_written_to_it_is_not_sent_again(self) -> None:
        lm, rotation = learning_module(EvidenceGraphLM), rotation_of_pose(POSE)
        unread_orientation(lm, rotation).value[:] = 0.0
        second = unread_orientation(lm, rotation)
        np.testing.assert_array_equal(second.value, self.expected)

    def test_copies_and_pickles_are_plain(self) -> None:
        copies: tuple[Callable, ...] = (
            copy.copy,
            copy.deepcopy,
            lambda one: pickle.loads(pickle.dumps(one)),  # noqa: S301, its own
        )
        for copied in copies:
            self.assert_plain(copied(sent()))

    def test_it_is_printed_as_a_plain_one(self) -> None:
        self.assertEqual(repr(sent()), repr(OrientationMatrix(self.expected)))

    def test_its_class_makes_orientations_of_matrices(self) -> None:
        turned = type(sent())(np.eye(3))
        self.assertEqual(turned.value.tolist(), np.eye(3).tolist())

    def test_an_override_is_called_at_once(self) -> None:
        lm, rotation = learning_module(OwnLM), rotation_of_pose(POSE)
        orientation = unread_orientation(lm, rotation)
        self.assertIs(type(orientation), OrientationMatrix)
        expected = 2 * Rotation.from_matrix(POSE).inv().as_matrix()
        np.testing.assert_array_equal(orientation.value, expected)

    def test_threads_may_read_it_at_the_same_time(self) -> None:
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(4) as threads:
            for _ in range(50):
                orientation = sent()
                read = [threads.submit(getattr, orientation, "value") for _ in "abcd"]
                for one in read:
                    self.assertEqual(one.result().tobytes(), self.expected.tobytes())

    def test_it_lacks_what_an_orientation_lacks(self) -> None:
        with self.assertRaisesRegex(AttributeError, "'OrientationMatrix' .* 'colour'"):
            sent().colour  # type: ignore[attr-defined]  # noqa: B018, it is missing


if __name__ == "__main__":
    unittest.main()
