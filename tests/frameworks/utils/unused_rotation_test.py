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
import json
import pickle
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Callable

import numpy as np

from tbp.monty.frameworks.models.buffer import BufferEncoder
from tbp.monty.frameworks.models.copied_stats import copied
from tbp.monty.frameworks.utils.unused_rotation import (
    UnusedRotation,
    rotation_of_pose,
)
from tbp.monty.geometry import Rotation


def _quaternion(rotation: Rotation) -> bytes:
    return rotation.as_quat().tobytes()


USES: dict[str, Callable[[Rotation], object]] = {
    "quaternion": _quaternion,
    "inverse": lambda one: _quaternion(one.inv()),
    "product": lambda one: _quaternion(one * one),
    "matrix": lambda one: one.as_matrix().tobytes(),
    "vectors": lambda one: one.apply([[1.0, 2.0, 3.0]]).tobytes(),
    "approximately": lambda one: bool(one.approx_equal(Rotation.identity())),
    "scipy": lambda one: one.as_scipy_rotation().as_quat().tobytes(),
    "is single": lambda one: one.single,
    "attributes": lambda one: (one.single, [*vars(one)])[1],
    "JSON": lambda one: json.dumps(one, cls=BufferEncoder),
    "copy": lambda one: _quaternion(copy.copy(one)),
    "deep copy": lambda one: _quaternion(copy.deepcopy(one)),
    "pickle": lambda one: _quaternion(
        pickle.loads(pickle.dumps(one))  # noqa: S301
    ),
}


class UnusedRotationTest(unittest.TestCase):
    def setUp(self) -> None:
        rng = np.random.default_rng(0)
        learned = Rotation.random(20, random_state=0).as_matrix().astype(np.float32)
        self.poses = [
            *Rotation.random(20, random_state=rng).as_matrix(),
            *learned.astype(np.float64),
        ]

    def test_each_use_makes_what_scipy_makes(self) -> None:
        for name, use in USES.items():
            with self.subTest(name):
                for pose in self.poses:
                    rotation = rotation_of_pose(pose)
                    self.assertIsInstance(rotation, UnusedRotation)
                    self.assertEqual(use(rotation), use(Rotation.from_matrix(pose)))
                    self.assertIs(type(rotation), Rotation)

    def test_it_is_the_rotation_of_the_pose_as_it_was(self) -> None:
        pose = self.poses[0]
        expected = _quaternion(Rotation.from_matrix(pose))
        rotation = rotation_of_pose(pose)
        pose[:] = np.eye(3)
        self.assertEqual(_quaternion(rotation), expected)

    def test_copies_of_statistics_do_not_use_it(self) -> None:
        rotation = rotation_of_pose(self.poses[0])
        self.assertIs(copied({"rotation": rotation})["rotation"], rotation)
        self.assertIs(copy.deepcopy([rotation])[0], rotation)
        self.assertIsInstance(rotation, UnusedRotation)

    def test_copies_and_pickles_are_plain(self) -> None:
        for copying in (
            copy.copy,
            lambda one: pickle.loads(pickle.dumps(one)),  # noqa: S301
        ):
            made = copying(rotation_of_pose(self.poses[0]))
            self.assertIs(type(made), Rotation)

    def test_threads_may_use_it_at_the_same_time(self) -> None:
        # Learning modules may update objects in threads.
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        for pose in self.poses:
            rotation = rotation_of_pose(pose)
            ready = Barrier(4)

            def use(rotation: Rotation = rotation, ready: Barrier = ready) -> bytes:
                ready.wait()
                return _quaternion(rotation)

            with ThreadPoolExecutor(4) as threads:
                made = [threads.submit(use) for _ in range(4)]
            expected = _quaternion(Rotation.from_matrix(pose))
            self.assertEqual({one.result() for one in made}, {expected})

    def test_it_lacks_what_a_rotation_lacks(self) -> None:
        rotation = rotation_of_pose(self.poses[0])
        with self.assertRaisesRegex(AttributeError, "'Rotation' .* 'colour'"):
            rotation.colour  # type: ignore[attr-defined] # noqa: B018

    def test_what_scipy_refuses_is_an_error_at_once(self) -> None:
        for pose in (np.diag([1.0, 1.0, -1.0]), np.zeros((3, 3)), np.eye(4)):
            with self.assertRaises(ValueError):
                rotation_of_pose(pose)

    def test_other_poses_are_made_at_once(self) -> None:
        for pose in (
            self.poses[0].tolist(),
            self.poses[0].astype(np.float32),
            np.stack(self.poses),
            2 * np.eye(3),
        ):
            rotation = rotation_of_pose(pose)
            self.assertIs(type(rotation), Rotation)
            self.assertEqual(
                _quaternion(rotation), _quaternion(Rotation.from_matrix(pose))
            )
