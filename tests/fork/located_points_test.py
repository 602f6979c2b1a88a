# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Points are located, and surfaces separated, as upstream does it, bit for bit."""

from __future__ import annotations

import copy
import unittest
from types import SimpleNamespace
from typing import Any

import numpy as np
import quaternion as qt

from tbp.monty.frameworks.environment_utils import transforms
from tests.fork.sensed_patch_test import same_bits
from tests.fork.upstream_module import upstream_module

AGENT = "agent"


def depths(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return depths of one surface or two, perhaps with a background."""
    image = 0.3 + rng.choice([0, 0.004, 0.2]) * rng.random(shape)
    if rng.random() < 0.5:
        image[rng.random(shape) < 0.5] += rng.choice([0.008, 0.05, 0.5])
    image[rng.random(shape) < rng.choice([0, 0.3, 1], p=[0.5, 0.4, 0.1])] = 1
    image[rng.random(shape) < rng.choice([0, 0.1])] = rng.choice([0.0, 100.0])
    return image.astype(rng.choice([np.float32, np.float64]))


def scene(rng: np.random.Generator) -> tuple[dict[str, Any], Any, Any]:
    """Return the settings of a transform, observations and the agent's state."""
    count = int(rng.integers(1, 4))
    names = [f"patch_{i}" for i in range(count)]
    some = [(1, 1), (2, 3), (8, 8), (64, 64), (20, 30)]
    shapes = [some[int(rng.integers(len(some)))] for _ in names]
    with_semantic = rng.random() < 0.3
    observations: dict[str, Any] = {}
    for name, shape in zip(names, shapes, strict=True):
        observations[name] = {"depth": depths(rng, shape)}
        if with_semantic:
            observations[name]["semantic"] = rng.integers(0, 3, size=shape)
    settings = dict(
        sensor_ids=names,
        resolutions=shapes,
        zooms=[float(rng.choice([1.0, 10.0])) for _ in names],
        hfov=[float(rng.choice([90.0, 11.0])) for _ in names],
        clip_value=float(rng.choice([0.05, 0.35])),
        depth_clip_sensors=[0] if rng.random() < 0.3 else None,
        world_coord=bool(rng.random() < 0.8),
        get_all_points=bool(rng.random() < 0.7),
        use_semantic_sensor=with_semantic,
    )

    def placed(**more: Any) -> SimpleNamespace:
        rotation = qt.from_float_array(rng.normal(size=4)).normalized()
        return SimpleNamespace(rotation=rotation, position=rng.normal(size=3), **more)

    state = {AGENT: placed(sensors={name: placed() for name in names})}
    return settings, {AGENT: observations}, state if rng.random() < 0.9 else None


class LocatedPointsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.upstream: Any = upstream_module("frameworks.environment_utils.transforms")

    def test_observations_are_those_of_upstream(self) -> None:
        rng = np.random.default_rng(4)
        for _ in range(500):
            settings, observations, state = scene(rng)
            results = []
            for module in (self.upstream, transforms):
                given = copy.deepcopy(settings)
                transform = module.DepthTo3DLocations(AGENT, **given)
                sensed = transform.call(copy.deepcopy(observations), state)[AGENT]
                results.append([list(one.items()) for one in sensed.values()])
            self.assertTrue(same_bits(*results), settings)

    def test_missing_depths_are_those_of_upstream(self) -> None:
        rng = np.random.default_rng(6)
        for threshold in (0.0, 0.31, 2.0):
            image = depths(rng, (16, 16))
            image[0, :3] = np.nan, 0, -0.0
            results = []
            for module in (self.upstream, transforms):
                transform = module.MissingToMaxDepth(AGENT, 1.0, threshold)
                sensed = {AGENT: {"patch": {"depth": image.copy()}}}
                results.append(transform.call(sensed)[AGENT]["patch"]["depth"])
            self.assertTrue(same_bits(*results))

    def test_thresholds_are_those_of_upstream(self) -> None:
        rng = np.random.default_rng(5)
        found = 0
        for _ in range(1_000):
            image = depths(rng, (16, 16))
            on_object = rng.integers(0, 2, size=image.shape)
            if rng.random() < 0.1:
                image[0, 0] = np.nan
            results = []
            for module in (self.upstream, transforms):
                transform = module.DepthTo3DLocations(AGENT, [], [], zooms=[])
                results.append(
                    transform.get_on_surface_th(image, on_object, 0.01, 1000.0)
                )
            self.assertTrue(same_bits(*results))
            found += results[0][0] != 1000.0
        self.assertGreater(found, 200)
