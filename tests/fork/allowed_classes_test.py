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
import re
import unittest
from pathlib import Path

from monty_tools.recording import kinds
from monty_tools.recording.kinds import class_named
from tbp.monty import __file__ as package
from tbp.monty.frameworks.actions.actions import Action
from tbp.monty.frameworks.utils import unpickle_model

OF_LEARNING_MODULES = re.compile(
    r"tbp\.monty\.(?:experiment|frameworks\.models)\.[\w.]*"
    r"(?:LM|Updater|GoalGenerator|LMsMatch|\.Monty(?:Base|For\w+))\b"
)


class AllowedClassesTest(unittest.TestCase):
    def test_traces_may_name_what_configs_name(self) -> None:
        configs = (Path(package).parent / "conf").rglob("*.yaml")
        texts = [path.read_text("utf-8") for path in configs]
        names = {name for text in texts for name in OF_LEARNING_MODULES.findall(text)}
        self.assertGreater(len(names), 10)
        for name in names:
            self.assertEqual(class_named(name).__name__, name.rpartition(".")[2])

    def test_all_of_them_exist(self) -> None:
        for allowed in (kinds.CLASSES, unpickle_model.CLASSES):
            for module, names in allowed.items():
                for name in names:
                    with self.subTest(f"{module}.{name}"):
                        self.assertTrue(hasattr(importlib.import_module(module), name))

    def test_models_may_hold_any_action(self) -> None:
        actions = {one.__name__ for one in Action.__subclasses__()}
        allowed = unpickle_model.CLASSES["tbp.monty.frameworks.actions.actions"]
        self.assertEqual(actions, {*allowed})
