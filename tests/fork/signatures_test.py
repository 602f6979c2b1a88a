# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import ast
import unittest
from pathlib import Path

from monty_tools.refactor.fork import fork_folder
from monty_tools.refactor.upstream import obtain

GROUPS = "frameworks.models.lm_groups"
STEP = (
    "(self, ctx: RuntimeContext, groups: Sequence[LMGroup], "
    "inputs: Sequence[Sequence[Message]]) -> None"
)
TARGETS = "(self, inputs: Sequence[Sequence[Message]]) -> None"

ADDED = {
    # Stepping learning modules, divided into experiment and runtime.
    "experiment.monty.ExperimentMonty.set_stepwise_targets": TARGETS,
    "frameworks.models.monty_base.MontyBase.set_stepwise_targets": TARGETS,
    "frameworks.models.graph_matching.MontyForGraphMatching"
    ".set_stepwise_targets": TARGETS,
    "frameworks.models.abstract_monty_classes.RuntimeMonty.step_learning_modules": STEP,
    "frameworks.models.monty_base.MontyBase.step_learning_modules": STEP,
    "frameworks.models.graph_matching.MontyForGraphMatching"
    ".step_learning_modules": STEP,
}
"""Names the fork adds to upstream's modules, on purpose."""

NEW_MODULES = ("backends", "cli", GROUPS)
"""Modules the fork adds."""

CHANGED = {
    # An optional parameter at the end.
    "frameworks.models.monty_base.MontyBase.__init__": (
        ", lm_groups: Sequence[Sequence[int]] | None=None)"
    ),
}
"""Signatures the fork changes, on purpose, and how they end now."""


def public_names(package: Path) -> dict[str, str]:
    """Return the public names a package defines, with their signatures.

    Read from the source, as importing needs simulators that are not there.
    """
    found: dict[str, str] = {}
    for path in sorted(package.rglob("*.py")):
        module = ".".join(path.relative_to(package).with_suffix("").parts)
        module = module.removesuffix("__init__").rstrip(".")
        _collect(ast.parse(path.read_text("utf-8")), module, found)
    return found


def _collect(node: ast.AST, prefix: str, found: dict[str, str]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if child.name.startswith("_") and not child.name.endswith("__"):
                continue
            name = f"{prefix}.{child.name}"
            found[name] = _signature(child)
            if isinstance(child, ast.ClassDef):
                _collect(child, name, found)
        elif isinstance(child, (ast.Assign, ast.AnnAssign)):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            for target in targets:
                if isinstance(target, ast.Name) and not target.id.startswith("_"):
                    found[f"{prefix}.{target.id}"] = "a value"
        elif isinstance(child, (ast.If, ast.Try)):
            _collect(child, prefix, found)


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    decorators = "".join(f"@{ast.unparse(d)} " for d in node.decorator_list)
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(base) for base in (*node.bases, *node.keywords)]
        return f"{decorators}class({', '.join(bases)})"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{decorators}({ast.unparse(node.args)}){returns}"


class SignaturesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.upstream = public_names(obtain().import_root / "tbp" / "monty")
        cls.fork = {
            name: signature
            for name, signature in public_names(fork_folder() / "tbp/monty").items()
            if not name.startswith(NEW_MODULES)
        }

    def test_reads_the_whole_package(self) -> None:
        self.assertGreater(len(self.upstream), 2000)

    def test_nothing_public_is_gone(self) -> None:
        self.assertEqual(set(self.upstream) - set(self.fork), set())

    def test_what_is_new_is_listed(self) -> None:
        new = {n: s for n, s in self.fork.items() if n not in self.upstream}
        self.assertEqual(new, ADDED)

    def test_signatures_that_changed_are_listed(self) -> None:
        changed = {
            name
            for name, signature in self.upstream.items()
            if self.fork[name] != signature
        }
        self.assertEqual(changed, set(CHANGED))
        for name, ending in CHANGED.items():
            before, now = self.upstream[name], self.fork[name]
            returns = before[before.rindex(")") + 1 :]
            stem = before[: before.rindex(")")]
            self.assertEqual(now, stem + ending + returns)
