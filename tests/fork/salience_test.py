# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A salience sensor module proposes what upstream's proposes, bit for bit."""

from __future__ import annotations

import unittest
from types import SimpleNamespace
from typing import Any

import numpy as np
import quaternion as qt

from tbp.monty.frameworks.models.salience import return_inhibitor, sensor_module
from tests.fork.sensed_patch_test import point_cloud, same_bits
from tests.fork.upstream_module import upstream_module

_FOLDER = "frameworks.models.salience"


def observation(rng: np.random.Generator) -> dict[str, np.ndarray]:
    cloud = point_cloud(rng)
    width = int(np.sqrt(len(cloud)))
    rgba = rng.integers(0, 256, size=(width, width, 4)).astype(np.uint8)
    return dict(rgba=rgba, depth=rng.random((width, width)), semantic_3d=cloud)


class SalienceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.inhibitor: Any = upstream_module(f"{_FOLDER}.return_inhibitor")
        cls.module: Any = upstream_module(f"{_FOLDER}.sensor_module")

    def test_goals_over_many_steps(self) -> None:
        modules = [
            self.module.SalienceSM("sm", None, self.inhibitor.ReturnInhibitor()),
            sensor_module.SalienceSM("sm", None, return_inhibitor.ReturnInhibitor()),
        ]
        contexts: list[Any] = [
            SimpleNamespace(rng=np.random.RandomState(3)) for _ in modules
        ]
        rng = np.random.default_rng(3)
        proposed = 0
        for step in range(120):
            seen = observation(rng)
            if step == 80:
                for module in modules:
                    module.reset()
            goals = []
            for module, ctx in zip(modules, contexts, strict=True):
                module.state = SimpleNamespace(rotation=qt.one, position=np.zeros(3))
                module.step(ctx, seen)
                goals.append([list(vars(one).items()) for one in module._goals])
            self.assertTrue(same_bits(*goals), step)
            proposed += len(goals[0])
        self.assertGreater(proposed, 10_000)

    def test_weights_of_visited_locations(self) -> None:
        rng = np.random.default_rng(7)
        fields = [self.inhibitor.DecayField(), return_inhibitor.DecayField()]
        points = np.asfortranarray(rng.random((4_000, 3)) * 0.2)
        for _ in range(80):
            location = rng.random(3) * 0.2
            weights = []
            for field in fields:
                field.add(location)
                weights.append(field.compute_weights(points))
                field.step()
            self.assertTrue(same_bits(*weights))
