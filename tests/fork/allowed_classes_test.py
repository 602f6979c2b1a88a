# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The lists of classes that files may name fit the release."""

from __future__ import annotations

import importlib
import unittest

from monty_tools.recording import kinds
from tbp.monty.frameworks.actions.actions import Action
from tbp.monty.frameworks.utils import unpickle_model


class AllowedClassesTest(unittest.TestCase):
    def test_all_of_them_exist(self) -> None:
        homes = [(module, name) for name, module in kinds.OBJECTS.items()]
        for module, names in unpickle_model.CLASSES.items():
            homes += [(module, name) for name in names]
        for module, name in homes:
            with self.subTest(f"{module}.{name}"):
                self.assertTrue(hasattr(importlib.import_module(module), name))

    def test_models_may_hold_any_action(self) -> None:
        actions = {one.__name__ for one in Action.__subclasses__()}
        allowed = unpickle_model.CLASSES["tbp.monty.frameworks.actions.actions"]
        self.assertEqual(actions, {*allowed})
