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

import numpy as np

from monty_tools.bench.peak import peak_mib


class PeakTest(unittest.TestCase):
    def test_a_large_array_raises_the_peak_permanently(self) -> None:
        before = peak_mib()
        np.ones((int(before) + 64) * 2**17)
        self.assertGreater(peak_mib(), before + 32)
