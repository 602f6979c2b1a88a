# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The steps of `perf` apply without each other, and in any order."""

from __future__ import annotations

import ast
import random
import shutil
import tempfile
import unittest
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from monty_tools.refactor.plan import make_plan
from monty_tools.refactor.series import PARTS
from monty_tools.refactor.step import Step
from monty_tools.refactor.transaction import write_all
from monty_tools.refactor.tree import Tree
from monty_tools.refactor.upstream import obtain
from tests.tools.refactor.upstream_copy import planned

PERF = PARTS["perf"]
FEW, MANY = 2, 40


class PerfTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        root = Path(folder.name)
        ignore = shutil.ignore_patterns("conf", "__pycache__")
        shutil.copytree(obtain().import_root / "tbp", root / "tbp", ignore=ignore)
        cls.tree = Tree.at(root)
        write_all(root, planned("fork").changes)

    def results(self, steps: Sequence[Step]) -> dict[str, str]:
        """Return the files that steps change or add, after the part `fork`."""
        return dict(make_plan(self.tree, steps).changes)

    def test_each_step_applies_alone_and_finds_what_it_imports(self) -> None:
        for step in PERF:
            with self.subTest(step.title):
                changes = self.results([step])
                files = {f"tbp/monty/{file}" for file in step.overlay}
                files |= {f"tbp/monty/{rewrite.file}" for rewrite in step.rewrites}
                self.assertEqual(set(changes), files)
                for file, text in changes.items():
                    for module in _imported(text):
                        self.assertTrue(self.exists(module, changes), (file, module))

    def test_any_steps_in_any_order_give_the_same_files(self) -> None:
        self.check_subsets(FEW)

    @pytest.mark.thorough
    def test_many_more_subsets(self) -> None:
        self.check_subsets(MANY)

    def check_subsets(self, count: int) -> None:
        rng = random.Random(count)  # noqa: S311 any seed will do
        sizes = [rng.randint(2, len(PERF)) for _ in range(count)]
        for steps in (PERF[::-1], *(rng.sample(PERF, size) for size in sizes)):
            in_order = [step for step in PERF if step in steps]
            with self.subTest([step.title for step in steps]):
                self.assertEqual(self.results(steps), self.results(in_order))

    def exists(self, module: str, changes: dict[str, str]) -> bool:
        path = module.replace(".", "/")
        files = (f"{path}.py", f"{path}/__init__.py")
        root = self.tree.import_root
        return (
            any(file in changes or (root / file).is_file() for file in files)
            or (root / path).is_dir()
        )


def _imported(text: str) -> Iterator[str]:
    """Yield the modules of Monty that a file imports from."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tbp."):
            yield node.module or ""
