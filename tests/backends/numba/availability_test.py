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
from tbp.monty.backends.registry import BackendUnavailable, load_backend


class AvailabilityTest(unittest.TestCase):
    def reason(self, version: str) -> str | None:
        with patch("importlib.metadata.version", return_value=version):
            return NumbaBackend.unavailable()

    def test_with_any_recent_version(self) -> None:
        self.assertIsNone(NumbaBackend.unavailable())
        for version in ("0.60.0", "0.61.0rc1", "0.70.0", "1.0.2"):
            self.assertIsNone(self.reason(version))

    def test_an_older_version_is_named(self) -> None:
        reason = self.reason("0.59.1")
        assert reason is not None
        self.assertRegex(
            reason, r"0\.59\.1 is installed, not 0\.60 or newer; pip .*cpu"
        )

    def test_that_it_refuses_this_numpy_is_known_before_a_run(self) -> None:
        refused = patch("importlib.import_module", side_effect=ImportError("NumPy"))
        with refused, self.assertRaisesRegex(BackendUnavailable, "ImportError: NumPy"):
            load_backend("numba")

    def test_without_numba(self) -> None:
        with patch("importlib.util.find_spec", return_value=None):
            reason = NumbaBackend.unavailable()
        assert reason is not None
        self.assertIn("not installed; pip install", reason)
