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

STEP = (
    "(self, ctx: RuntimeContext, groups: Sequence[LMGroup], "
    "inputs: Sequence[Sequence[Message]]) -> None"
)
TARGETS = "(self, inputs: Sequence[Sequence[Message]]) -> None"
CLOSE = "(self) -> None"
EVIDENCE = "frameworks.models.evidence_matching"
DESCRIBE = "(self) -> UpdaterDescription | str"
DISPATCH = (
    "(self, ctx: RuntimeContext, percepts: Sequence[Message])"
    " -> _PendingMatchingStep | None"
)
PROCESS = "(self, pending: _PendingMatchingStep | None) -> None"

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
    # One backend, opened and closed with Monty.
    "experiment.monty.ExperimentMonty.close": CLOSE,
    "frameworks.models.monty_base.MontyBase.close": CLOSE,
    "frameworks.models.graph_matching.GraphLM.use_backend": (
        "(self, backend: Backend) -> None"
    ),
    # Updaters describe their update to it.
    f"{EVIDENCE}.hypotheses_updater.DefaultHypothesesUpdater.describe": DESCRIBE,
    f"{EVIDENCE}.burst_sampling.BurstSamplingHypothesesUpdater.describe": DESCRIBE,
    # Steps in two phases.
    **{
        f"frameworks.models.{lm}.{name}": signature
        for lm in (
            "graph_matching.GraphLM",
            "evidence_matching.learning_module.EvidenceGraphLM",
            "no_reset_evidence_matching.NoResetEvidenceGraphLM",
        )
        for name, signature in (
            ("dispatch_matching_step", DISPATCH),
            ("process_matching_step", PROCESS),
        )
    },
}
"""Names the fork adds to upstream's modules, on purpose."""

NEW_MODULES = (
    "backends",
    "cli",
    "frameworks.models.lm_groups",
    "frameworks.models.node_features",
    "frameworks.models.lm_steps",
    "frameworks.models.two_phase",
    f"{EVIDENCE}.evidence_state",
    f"{EVIDENCE}.evidence_work",
    f"{EVIDENCE}.known_evidence",
    f"{EVIDENCE}.remembered",
    f"{EVIDENCE}.replaced_arguments",
    f"{EVIDENCE}.resampling_hypotheses_updater",
)
"""Modules the fork adds."""

PARAMETERS = (
    ", lm_groups: Sequence[Sequence[int]] | None=None, "
    "backend: str | Backend | None=None)"
)
CHANGED = {
    # Optional parameters at the end.
    "frameworks.models.monty_base.MontyBase.__init__": (")", PARAMETERS),
    # A base class that adds no public name.
    "frameworks.models.graph_matching.GraphLM": (
        "class(LearningModule",
        "class(TwoPhaseMethods, LearningModule",
    ),
    # Says what became of earlier arguments; the signature stays.
    f"{EVIDENCE}.burst_sampling.BurstSamplingHypothesesUpdater.__init__": (
        "(self, ",
        "@names_replaced_arguments (self, ",
    ),
}
"""Signatures the fork changes, on purpose: what is replaced, once, and by what."""


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
        for name, (before, after) in CHANGED.items():
            start, end = self.upstream[name].rsplit(before, maxsplit=1)
            self.assertEqual(self.fork[name], start + after + end)
