# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The lists of what Monty has, compared with the pinned release."""

from __future__ import annotations

import ast
import importlib
import unittest
from typing import Iterator

from monty_tools.refactor.migrate.renames import FORMER_ARGUMENTS, RENAMED
from monty_tools.refactor.migrate.steps import (
    MONTYS_ATTRIBUTES,
    MONTYS_READERS,
    MONTYS_STEP,
)
from monty_tools.refactor.upstream import obtain

FAMILY = {
    "evidence_matching/learning_module.py": "EvidenceGraphLM",
    "graph_matching.py": "GraphLM",
    "abstract_monty_classes.py": "LearningModule",
}


def methods() -> Iterator[ast.FunctionDef]:
    models = obtain().import_root / "tbp" / "monty" / "frameworks" / "models"
    for file, name in FAMILY.items():
        tree = ast.parse((models / file).read_text("utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                yield from (
                    one for one in node.body if isinstance(one, ast.FunctionDef)
                )


class WhatMontyHasTest(unittest.TestCase):
    def test_attributes_of_learning_modules(self) -> None:
        assigned = {
            node.attr
            for method in methods()
            for node in ast.walk(method)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
            and isinstance(node.ctx, ast.Store)
        }
        self.assertEqual(assigned, MONTYS_ATTRIBUTES)

    def test_methods_that_a_step_may_call(self) -> None:
        known = [*methods()]
        names = {one.name for one in known}
        called = ["matching_step"]
        for name in called:
            for method in known:
                if method.name == name:
                    used = {
                        node.attr
                        for node in ast.walk(method)
                        if isinstance(node, ast.Attribute)
                    }
                    called += sorted((used & names).difference(called))
        self.assertEqual({*called}, MONTYS_STEP)
        self.assertLessEqual({*MONTYS_READERS}, MONTYS_STEP)

    def test_present_names_are_there_and_former_ones_are_not_upstreams(self) -> None:
        root = obtain().import_root
        for old, new in RENAMED.items():
            with self.subTest(old):
                self.assertTrue(_is_there(new))
                module, _, name = old.rpartition(".")
                file = root.joinpath(*module.split(".")).with_suffix(".py")
                text = file.read_text("utf-8") if file.exists() else ""
                bound = {getattr(one, "name", "") for one in ast.parse(text).body}
                self.assertNotIn(name, bound)

    def test_former_arguments_are_those_that_the_fork_explains(self) -> None:
        path = "tbp.monty.frameworks.models.evidence_matching.replaced_arguments"
        replaced = importlib.import_module(path)
        self.assertEqual({*FORMER_ARGUMENTS}, {*replaced._REPLACED_BY})


def _is_there(path: str) -> bool:
    module, _, name = path.rpartition(".")
    try:
        return importlib.import_module(path) is not None
    except ModuleNotFoundError:
        return hasattr(importlib.import_module(module), name)
