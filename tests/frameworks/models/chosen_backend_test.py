# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import os
import unittest
from unittest.mock import patch

from tbp.monty.frameworks.models.monty_base import MontyBase
from tests.frameworks.models.monty_arguments import monty_arguments


class ChosenBackendTest(unittest.TestCase):
    def name(self, variable: str, **settings: str) -> str:
        with patch.dict(os.environ, MONTY_BACKEND=variable):
            monty = MontyBase(**monty_arguments([], **settings))
        self.addCleanup(monty.close)
        return monty.backend.name

    def test_monty_opens_the_backend_that_its_config_or_the_variable_names(
        self,
    ) -> None:
        self.assertEqual(self.name(""), "reference")
        self.assertEqual(self.name("", backend="numpy"), "numpy")
        self.assertEqual(self.name("reference", backend="numpy"), "reference")
