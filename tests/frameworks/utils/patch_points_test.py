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
from typing import Any
from unittest.mock import Mock

import numpy as np
import numpy.testing as npt

from tbp.monty.frameworks.utils.patch_points import (
    points_near_center,
    points_on_object,
)
from tbp.monty.frameworks.utils.sensor_processing import (
    center_neighbors,
    pixel_dist_to_center,
    principal_curvatures,
    surface_normal_ordinary_least_squares,
    surface_normal_total_least_squares,
)


class PointsOnObjectTest(unittest.TestCase):
    def setUp(self) -> None:
        self.cloud = np.random.default_rng(0).normal(size=(49, 4))
        self.cloud[24, 3] = 1

    def test_points_are_those_of_the_shifted_cloud(self) -> None:
        rng = np.random.default_rng(1)
        for dtype in (np.float64, np.float32):
            for order in "CF":
                cloud = self.cloud.astype(dtype, order=order)
                for share in (0.0, 0.1, 0.5, 1.0):
                    chosen = rng.random(len(cloud)) < share
                    shifted = cloud[:, :3] - cloud[24, :3]
                    actual = points_on_object(cloud, 24, chosen)
                    npt.assert_array_equal(actual, shifted[chosen])
                    self.assertEqual(actual.dtype, dtype)
                    self.assertTrue(actual.flags.c_contiguous)

    def test_the_point_cloud_is_not_changed(self) -> None:
        before = self.cloud.copy()
        self.cloud.flags.writeable = False
        normal = np.array([0.0, 0.6, 0.8])
        center_neighbors(self.cloud, 24, 3.2)
        surface_normal_total_least_squares(self.cloud, 24, normal)
        surface_normal_ordinary_least_squares(self.cloud, np.eye(4), 24)
        principal_curvatures(self.cloud, 24, normal)
        npt.assert_array_equal(self.cloud, before)


class PointsNearCenterTest(unittest.TestCase):
    def near(self, width: int, center: int, fraction: float, measure: Any) -> list[int]:
        cloud = np.ones((width * width, 4))
        cloud[:, 0] = np.arange(len(cloud))
        points = points_near_center(cloud, center, fraction, measure)
        return (points[:, 0] + center).tolist()

    def test_pixels_on_the_limit_are_near(self) -> None:
        for width, center, fraction, expected in (
            (7, 24, 7.0, [17, 23, 24, 25, 31]),
            (7, 24, 7.1, [24]),
            (3, 0, 2.9, [0, 1, 3]),
            (1, 0, 3.2, [0]),
        ):
            near = self.near(width, center, fraction, pixel_dist_to_center)
            self.assertEqual(near, expected)

    def test_distances_are_measured_once(self) -> None:
        measure = Mock(side_effect=pixel_dist_to_center)
        self.assertEqual(*(self.near(7, 24, 3.2, measure) for _ in range(2)))
        measure.assert_called_once_with(49, 7, 24)

    def test_neighbors_are_near_and_on_the_object(self) -> None:
        cloud = np.ones((49, 4))
        cloud[:, :2] = np.indices((7, 7)).reshape(2, -1).T
        cloud[23, 3] = 0
        neighbors = center_neighbors(cloud, 24, 7.0)
        npt.assert_array_equal(neighbors[:, :2], [[-1, 0], [0, 0], [0, 1], [1, 0]])
