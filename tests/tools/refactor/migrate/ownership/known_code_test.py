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
import unittest
from typing import Iterator

from monty_tools.refactor.migrate.ownership.instance import is_of
from monty_tools.refactor.migrate.ownership.known_code import (
    MONTYS_ATTRIBUTES,
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


class KnownCodeTest(unittest.TestCase):
    def test_attributes_of_learning_modules(self) -> None:
        assigned = {
            node.attr
            for method in methods()
            for node in ast.walk(method)
            if is_of(node, "self") and isinstance(node.ctx, ast.Store)
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
