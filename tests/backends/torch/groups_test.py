# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Groups on the backend `torch`."""

from __future__ import annotations

import importlib.util
import unittest
from unittest.mock import patch

from tbp.monty.backends import torch as torch_kernels
from tbp.monty.backends.builtin.torch import TorchBackend
from tests.backends import groups_test


class InTorch:
    """Runs the tests of `numba` with the backend `torch`."""

    backend_class = TorchBackend
    kernels = torch_kernels


class TorchSameBitsTest(InTorch, groups_test.SameBitsTest):
    pass


class TorchLaunchesTest(InTorch, groups_test.LaunchesTest):
    pass


class TorchFaultTest(InTorch, groups_test.FaultTest):
    pass


class AvailabilityTest(unittest.TestCase):
    def test_without_torch_it_says_what_to_install(self) -> None:
        self.assertIsNone(TorchBackend.unavailable())
        with patch.object(importlib.util, "find_spec", return_value=None):
            self.assertIn("pip install torch", TorchBackend.unavailable())
