# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is sensed in a patch is what upstream senses, bit for bit."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np

from tbp.monty.frameworks.models import sensor_modules
from tbp.monty.frameworks.utils import sensor_processing
from tests.fork.upstream_module import upstream_module


def same_bits(first: Any, second: Any) -> bool:
    """Return whether two results have the same types, layouts and bits."""
    if type(first) is not type(second):
        return False
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same_bits, first, second))
    if isinstance(first, (np.ndarray, np.generic)):
        return (first.dtype, first.shape, first.strides, first.tobytes()) == (
            (second.dtype, second.shape, second.strides, second.tobytes())
        )
    return bool(first == second)


def point_cloud(rng: np.random.Generator) -> np.ndarray:
    """Return the points of a curved patch, some of them not on the object."""
    width = int(rng.choice([1, 2, 5, 16, 64]))
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(1, -1, width))
    a, b, c, noise = rng.normal(size=4) * rng.choice([0, 0.01, 1])
    z = 0.3 + a * x * x + b * y * y + c * x * y + noise * rng.random(x.shape)
    share = rng.choice([0.0, 0.1, 0.5, 0.95, 1.0])
    on_object = (rng.random(x.shape) < share) * rng.integers(1, 3)
    if rng.random() < 0.8:
        on_object[width // 2, width // 2] = 1
    parts = [x * 0.02, y * 0.02, z, on_object]
    cloud = np.array([part.ravel() for part in parts]).T
    # As DepthTo3DLocations makes them: in either order in memory.
    return cloud if rng.random() < 0.5 else cloud.copy()


def center_of(cloud: np.ndarray) -> int:
    width = int(np.sqrt(len(cloud)))
    return width // 2 * (width + 1)


class PatchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.upstream: Any = upstream_module("frameworks.utils.sensor_processing")

    def check(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Compare a function of upstream and the fork."""
        results = []
        for module in (self.upstream, sensor_processing):
            copies = [np.copy(a, "K") if isinstance(a, np.ndarray) else a for a in args]
            try:
                result = getattr(module, name)(*copies, **kwargs)
            except (AssertionError, ArithmeticError, ValueError) as failure:
                result = repr(failure)
            results.append(result)
        self.assertTrue(same_bits(*results), (name, args, results))

    def test_neighbors_and_surface_normals(self) -> None:
        rng = np.random.default_rng(1)
        for _ in range(500):
            cloud = point_cloud(rng)
            center = center_of(cloud)
            world = np.eye(4)
            world[:3] = rng.normal(size=(3, 4))
            self.check("center_neighbors", cloud, center, rng.choice([1.0, 3.2, 9.0]))
            self.check(
                "surface_normal_total_least_squares", cloud, center, world[:3, 2]
            )
            self.check("surface_normal_ordinary_least_squares", cloud, world, center)
            self.check("surface_normal_naive", cloud)

    def test_principal_curvatures(self) -> None:
        rng = np.random.default_rng(2)
        for _ in range(500):
            cloud = point_cloud(rng)
            normal = rng.normal(size=3) * rng.choice([0, 1], size=3, p=[0.1, 0.9])
            self.check("principal_curvatures", cloud, center_of(cloud), normal)
            self.check(
                "principal_curvatures",
                cloud,
                center_of(cloud),
                normal,
                neighbor_patch_frac=float(rng.choice([1.0, 5.0])),
                weighted=bool(rng.random() < 0.5),
                fit_intercept=bool(rng.random() < 0.5),
            )


class PerceptTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.upstream: Any = upstream_module("frameworks.models.sensor_modules")

    def test_percepts_are_those_of_upstream(self) -> None:
        rng = np.random.default_rng(6)
        features = sensor_modules.ObservationProcessor.POSSIBLE_FEATURES
        for _ in range(300):
            cloud = point_cloud(rng)
            width = int(np.sqrt(len(cloud)))
            seen = dict(
                semantic_3d=cloud,
                sensor_frame_data=cloud,
                cam_to_world=np.eye(4),
                rgba=rng.integers(0, 256, size=(width, width, 4)).astype(np.uint8),
                depth=rng.random((width, width)),
            )
            chosen = [one for one in features if rng.random() < 0.7]
            results: list[Any] = []
            for module in (self.upstream, sensor_modules):
                processor = module.ObservationProcessor(chosen, "patch")
                try:
                    percept = processor.process(seen)
                except (AssertionError, ArithmeticError, ValueError) as failure:
                    results.append(repr(failure))
                    continue
                parts = vars(percept)
                morphological = dict(parts.pop("morphological_features"))
                if "pose_vectors" in morphological:
                    pose = morphological.pop("pose_vectors")
                    morphological["pose"] = pose.value
                others = parts.pop("non_morphological_features")
                results.append(
                    [list(one.items()) for one in (parts, morphological, others)]
                )
            self.assertTrue(same_bits(*results), (chosen, results))
