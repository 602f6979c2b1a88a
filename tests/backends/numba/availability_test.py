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
from unittest.mock import patch

from tbp.monty.backends.builtin.numba import NumbaBackend


class AvailabilityTest(unittest.TestCase):
    def test_with_the_version_that_is_required(self) -> None:
        self.assertIsNone(NumbaBackend.unavailable())

    def test_other_versions_are_named(self) -> None:
        with patch("importlib.metadata.version", return_value="0.67.1"):
            reason = NumbaBackend.unavailable()
        assert reason is not None
        self.assertRegex(reason, r"0\.67\.1 is installed, not 0\.68; pip install .*cpu")

    def test_without_numba(self) -> None:
        with patch("importlib.util.find_spec", return_value=None):
            reason = NumbaBackend.unavailable()
        assert reason is not None
        self.assertIn("not installed; pip install", reason)
