# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Describes the evidence update of a learning module, for its backend."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import DescribedWork, UpdaterDescription
from tbp.monty.frameworks.models.evidence_matching.evidence_state import (
    LMEvidenceState,
)
from tbp.monty.frameworks.models.evidence_matching.evidence_work import evidence_work
from tbp.monty.frameworks.models.evidence_matching.feature_evidence.calculator import (
    DefaultFeatureEvidenceCalculator,
)
from tbp.monty.frameworks.models.evidence_matching.feature_evidence.scorer import (
    DefaultFeatureEvidenceScorer,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_displacer import (
    DefaultHypothesesDisplacer,
)

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
        BurstSamplingHypothesesUpdater,
    )
    from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
        DefaultHypothesesUpdater,
    )
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = [
    "describe_burst_sampling_updater",
    "describe_default_updater",
    "described_updater",
    "described_work",
]

_PARTS = (
    DefaultHypothesesDisplacer,
    DefaultFeatureEvidenceScorer,
    DefaultFeatureEvidenceCalculator,
)
"""The parts of an updater of which the update is described."""


def described_work(
    lm: EvidenceGraphLM,
    features: dict[str, dict[str, Any]],
    displacement: npt.NDArray[np.float64] | None,
) -> DescribedWork:
    """Return what `evidence_work` returns, with a description of the update."""
    return DescribedWork(
        **vars(evidence_work(lm, features, displacement)),
        features=features,
        displacement=displacement,
        updater=described_updater(lm),
        state=LMEvidenceState(lm, features),
    )


def describe_default_updater(
    updater: DefaultHypothesesUpdater,
) -> UpdaterDescription | str:
    """Return the description of a DefaultHypothesesUpdater, or why there is none."""
    return _described_as("default", updater)


def describe_burst_sampling_updater(
    updater: BurstSamplingHypothesesUpdater,
) -> UpdaterDescription | str:
    """Return the description of a BurstSamplingHypothesesUpdater, or why not."""
    return _described_as(
        "burst_sampling",
        updater,
        sampling_multiplier=updater.sampling_multiplier,
        deletion_trigger_slope=updater.deletion_trigger_slope,
        include_telemetry=updater.include_telemetry,
    )


def described_updater(lm: EvidenceGraphLM) -> UpdaterDescription | str:
    """Return the description of the updater, or why there is none."""
    updater = lm.hypotheses_updater
    if type(lm)._update_evidence is not _evidence_lm()._update_evidence:
        return f"{type(lm).__name__} has its own _update_evidence"
    # Of the class itself, not inherited: a subclass may update in another way.
    describe = vars(type(updater)).get("describe")
    if describe is None:
        return f"{type(updater).__name__} does not describe its update"
    return describe(updater)


@functools.lru_cache(maxsize=1)
def _evidence_lm() -> type[EvidenceGraphLM]:
    # Imported here, because that module imports this one.
    from tbp.monty.frameworks.models.evidence_matching import (  # noqa: PLC0415
        learning_module,
    )

    return learning_module.EvidenceGraphLM


def _described_as(
    kind: str,
    updater: DefaultHypothesesUpdater | BurstSamplingHypothesesUpdater,
    **settings: Any,
) -> UpdaterDescription | str:
    displacer = updater._hypotheses_displacer
    scorer = updater._feature_evidence_scorer
    parts = type(displacer), type(scorer), scorer._feature_evidence_calculator
    if parts != _PARTS:
        custom = ", ".join(part.__name__ for part in parts if part not in _PARTS)
        return f"{type(updater).__name__} uses {custom}"
    described = {
        "initial_possible_poses": updater.initial_possible_poses,
        "umbilical_num_poses": updater.umbilical_num_poses,
        "max_match_distance": displacer.max_match_distance,
        "max_nneighbors": displacer.max_nneighbors,
        "past_weight": displacer.past_weight,
        "present_weight": displacer.present_weight,
        "feature_weights": displacer.feature_weights,
        "tolerances": scorer._tolerances,
        "feature_evidence_increment": scorer._feature_evidence_increment,
        "use_features_for_matching": scorer._use_features_for_matching_by_channel,
        **settings,
    }
    return UpdaterDescription(kind, described)
