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

import numpy as np

from tbp.monty.frameworks.models.salience.highest_weights import highest_weights
from tbp.monty.frameworks.models.salience.return_inhibitor import (
    DecayField,
    DecayKernel,
)


def one_by_one(kernels: list[DecayKernel], points: np.ndarray) -> np.ndarray:
    return np.max([kernel(points) for kernel in kernels], axis=0)


def random_kernels(rng: np.random.Generator, count: int) -> list[DecayKernel]:
    kernels = []
    for _ in range(count):
        settings: dict[str, Any] = dict(
            tau_t=float(rng.choice([10.0, 3.0])),
            tau_s=float(rng.choice([0.01, 0.002])),
            spatial_cutoff=[None, 0.02, 0.005, 0.0][int(rng.integers(4))],
        )
        location = np.round(rng.random(3) * 0.06, int(rng.choice([2, 17])))
        kernel = DecayKernel(location, **settings)
        for _ in range(int(rng.integers(6))):
            kernel.step()
        kernels.append(kernel)
    return kernels


class HighestWeightsTest(unittest.TestCase):
    def check(self, kernels: list[DecayKernel], points: np.ndarray) -> None:
        expected = one_by_one(kernels, points)
        actual = highest_weights(kernels, points)
        self.assertEqual(actual.dtype, expected.dtype)
        np.testing.assert_array_equal(actual, expected)  # any NaN equals any other
        np.testing.assert_array_equal(np.signbit(actual[actual == 0]), False)

    def test_weights_are_those_of_the_kernels_bit_for_bit(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(500):
            kernels = random_kernels(rng, int(rng.integers(1, 12)))
            count = int(rng.choice([0, 1, 7, 200]))
            points = np.round(rng.random((count, 3)) * 0.06, int(rng.choice([3, 17])))
            if rng.random() < 0.1:
                points[rng.random(points.shape) < 0.1] = rng.choice([np.nan, np.inf])
            if rng.random() < 0.5:
                points = np.asfortranarray(points)
            self.check(kernels, points)

    def test_points_at_the_cutoff(self) -> None:
        kernel = DecayKernel(np.zeros(3), spatial_cutoff=0.02)
        steps = [0.02]
        for _ in range(20):
            steps += [np.nextafter(steps[-1], 1)]
            steps.insert(0, np.nextafter(steps[0], 0))
        points = np.zeros((len(steps), 3))
        points[:, 1] = steps
        self.check([kernel], points)

    def test_single_precision_stays_single(self) -> None:
        rng = np.random.default_rng(1)
        points = rng.random((50, 3)).astype(np.float32) * np.float32(0.02)
        self.check(random_kernels(rng, 5), points)
        self.check([DecayKernel(points[0])], points)

    def test_a_subclass_of_a_kernel_is_called(self) -> None:
        class Constant(DecayKernel):
            def __call__(self, points: np.ndarray) -> np.ndarray:
                return np.full(len(points), 0.25)

        rng = np.random.default_rng(2)
        points = rng.random((50, 3)) * 0.1
        kernels = [*random_kernels(rng, 2), Constant(np.zeros(3))]
        self.check(kernels, points)
        self.assertGreaterEqual(highest_weights(kernels, points).min(), 0.25)

    def test_a_field_weighs_the_locations_that_were_added(self) -> None:
        rng = np.random.default_rng(3)
        field = DecayField()
        points = rng.random((300, 3)) * 0.05
        for _ in range(60):
            field.add(rng.random(3) * 0.05)
            expected = one_by_one(field._kernels, points)
            np.testing.assert_array_equal(field.compute_weights(points), expected)
            field.step()
        self.assertGreater(len(field._kernels), 20)
