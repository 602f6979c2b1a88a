# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The kernels in torch compute what the numpy implementation does."""

from __future__ import annotations

import unittest
from unittest.mock import patch

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tbp.monty.backends import torch as torch_kernels
from tbp.monty.backends.torch import evidence
from tests.backends.numba import kernels_test
from tests.backends.scenes import Scene, build, random_scene, scenes

WITHIN = 1e-12


class InTorch:
    """Runs the tests of numba's kernels with those in torch."""

    kernels = torch_kernels

    def assert_same_evidence(self, found, wanted, what: str) -> None:
        # Torch does not promise to round square roots correctly.
        np.testing.assert_allclose(found, wanted, WITHIN, WITHIN, err_msg=what)

    def assert_agrees(self, table, graphs, work, **_) -> None:
        # Torch rounds rotations as numpy does here, and offers no choice.
        super().assert_agrees(table, graphs, work)


class TorchEqualToNumpyTest(InTorch, kernels_test.EqualToNumpyTest):
    # Fewer than for numba, as it is slower.
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(lms=st.lists(scenes(), min_size=1, max_size=5))
    def test_on_random_stacks_of_learning_modules(self, lms: list[Scene]) -> None:
        for i, scene in enumerate(lms):
            scene.name = f"lm_{i}"
        self.assert_agrees(*build(lms))

    def test_for_any_number_of_distances_at_a_time(self) -> None:
        for distances in (1, 100, 10_000):
            scene = random_scene(
                12, nodes=300, hypotheses=200, neighbors=5, repeated_nodes=0.3
            )
            with patch.object(evidence, "_DISTANCES_AT_A_TIME", distances):
                self.assert_agrees(*build([scene]))


class TorchStackTest(InTorch, kernels_test.StackTest):
    pass


class TorchUnusableNumbersTest(InTorch, kernels_test.UnusableNumbersTest):
    pass


if __name__ == "__main__":
    unittest.main()
