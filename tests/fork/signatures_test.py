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
    "(self, ctx: RuntimeContext, groups: Sequence[LMGroup], inputs: LMInputs) -> None"
)
TARGETS = "(self, inputs: LMInputs) -> None"
CLOSE = "(self) -> None"
EVIDENCE = "frameworks.models.evidence_matching"
EVIDENCE_LM = f"{EVIDENCE}.learning_module.EvidenceGraphLM"
ANY_LM = "frameworks.models.abstract_monty_classes.LearningModule"
QUERY = "(self, query: EvidenceQuery)"
RESULTS = "EvidenceOutcome"
DISPATCH = "(self, ctx: RuntimeContext, percepts: Sequence[Message]) -> PendingStep"
PROCESS = "(self, pending: PendingStep) -> None"

ADDED = {
    # Stepping learning modules, divided into experiment and runtime.
    "experiment.monty.ExperimentMonty.update_stepwise_targets": TARGETS,
    "frameworks.models.monty_base.MontyBase.update_stepwise_targets": TARGETS,
    "frameworks.models.graph_matching.MontyForGraphMatching"
    ".update_stepwise_targets": TARGETS,
    "frameworks.models.abstract_monty_classes.RuntimeMonty.step_learning_modules": STEP,
    "frameworks.models.monty_base.MontyBase.step_learning_modules": STEP,
    "frameworks.models.graph_matching.MontyForGraphMatching"
    ".step_learning_modules": STEP,
    # One backend, opened and closed with Monty.
    "experiment.monty.ExperimentMonty.close": CLOSE,
    "frameworks.models.monty_base.MontyBase.close": CLOSE,
    "frameworks.models.monty_base.MontyBase.lm_groups": (
        "@property (self) -> list[LMGroup]"
    ),
    # Updaters have two halves, and describe their updates to the backend.
    f"{EVIDENCE}.hypotheses_updater.HypothesesUpdater.dispatch": f"{QUERY} -> Any",
    f"{EVIDENCE}.hypotheses_updater.HypothesesUpdater.process": (
        f"(self, pending: Any) -> {RESULTS}"
    ),
    **{
        f"{EVIDENCE}.{updater}.{name}": signature
        for updater in (
            "hypotheses_updater.DefaultHypothesesUpdater",
            "burst_sampling.BurstSamplingHypothesesUpdater",
        )
        for name, signature in (
            ("dispatch", f"{QUERY} -> EvidenceWork"),
            ("process", f"(self, pending: EvidenceWork) -> {RESULTS}"),
            ("describe", f"{QUERY} -> EvidenceUpdate"),
            ("settings", "(self) -> dict[str, Any]"),
        )
    },
    # What the description is made of.
    **{
        f"{EVIDENCE}.{part}.settings": "(self) -> dict[str, Any]"
        for part in (
            "feature_evidence.scorer.DefaultFeatureEvidenceScorer",
            "hypotheses_displacer.DefaultHypothesesDisplacer",
        )
    },
    f"{EVIDENCE}.evidence_slope_tracker.EvidenceSlopeTracker.history": (
        "(self) -> EvidenceHistory"
    ),
    f"{EVIDENCE}.evidence_slope_tracker.EvidenceSlopeTracker.from_history": (
        "@staticmethod (history: EvidenceHistory) -> EvidenceSlopeTracker"
    ),
    f"{EVIDENCE}.graph_memory.EvidenceGraphMemory.initialize_feature_arrays": CLOSE,
    # All votes are added at once.
    f"{EVIDENCE_LM}.votes_to_add": (
        "(self, vote_data: dict[str, Any]) -> list[tuple[Any, ...]]"
    ),
    # Steps in two phases.
    f"{ANY_LM}.dispatch_matching_step": DISPATCH,
    f"{ANY_LM}.process_matching_step": PROCESS,
    f"{ANY_LM}.dispatch_exploratory_step": DISPATCH,
    f"{ANY_LM}.process_exploratory_step": PROCESS,
    f"{EVIDENCE_LM}.dispatch_matching_step": DISPATCH,
    f"{EVIDENCE_LM}.process_matching_step": PROCESS,
    # Rotations do not change.
    "geometry.Rotation.__deepcopy__": "(self, memo: dict[int, object]) -> Rotation",
}
"""Names the fork adds to upstream's modules, on purpose."""

NEW_MODULES = (
    "backends",
    "cli",
    "frameworks.environment_utils.empty_bins",
    "frameworks.models.honoured_overrides",
    "frameworks.models.lm_backend",
    "frameworks.models.lm_groups",
    "frameworks.models.lm_steps",
    "frameworks.models.node_features",
    "frameworks.models.pending_step",
    "frameworks.models.plain_settings",
    "frameworks.models.goals",
    "frameworks.models.whole_overrides",
    f"{EVIDENCE}.described_update",
    f"{EVIDENCE}.displace_at_once",
    f"{EVIDENCE}.evidence_update",
    f"{EVIDENCE}.honoured_updates",
    f"{EVIDENCE}.replaced_arguments",
    f"{EVIDENCE}.resampling_hypotheses_updater",
    f"{EVIDENCE}.stored_graphs",
    f"{EVIDENCE}.vote_evidence",
    f"{EVIDENCE}.votes",
    "frameworks.utils.pixel_arrays",
    "frameworks.utils.read_model",
    "frameworks.utils.rotation_of_pose",
    "frameworks.utils.unpickle_model",
)
"""Modules the fork adds."""

PARAMETERS = (
    ", lm_groups: Sequence[Sequence[int]] | None=None, "
    "backend: str | KnownBackend | None=None)"
)
CHANGED = {
    # Optional parameters at the end.
    "frameworks.models.monty_base.MontyBase.__init__": (")", PARAMETERS),
    # Names the replacements of earlier arguments; the signature stays.
    f"{EVIDENCE}.burst_sampling.BurstSamplingHypothesesUpdater.__init__": (
        "(self, ",
        "@names_replaced_arguments (self, ",
    ),
    # Compute an array once for the same arguments.
    "frameworks.utils.sensor_processing.weight_matrix": (
        "(n_points",
        "@computed_once (n_points",
    ),
    "frameworks.utils.sensor_processing.pixel_dist_to_center": (
        "(n_points",
        "@computed_once (n_points",
    ),
}
"""Signatures the fork changes, on purpose: the text replaced once, and the new one."""


INHERITED = {
    # Repeated the method that it overrode, line by line.
    f"frameworks.models.no_reset_evidence_matching.NoResetEvidenceGraphLM.{step}"
    for step in ("exploratory_step", "matching_step")
}
"""Definitions the fork removes; the names are inherited."""


def public_names(package: Path) -> dict[str, str]:
    """Return the public names a package defines, with their signatures.

    Read from the source, as importing needs simulators that may be missing.
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
        self.assertEqual(set(self.upstream) - set(self.fork), INHERITED)

    def test_added_names_are_listed(self) -> None:
        new = {n: s for n, s in self.fork.items() if n not in self.upstream}
        self.assertEqual(new, ADDED)

    def test_changed_signatures_are_listed(self) -> None:
        changed = {
            name
            for name, signature in self.upstream.items()
            if name not in INHERITED and self.fork[name] != signature
        }
        self.assertEqual(changed, set(CHANGED))
        for name, (before, after) in CHANGED.items():
            start, end = self.upstream[name].rsplit(before, maxsplit=1)
            self.assertEqual(self.fork[name], start + after + end)
