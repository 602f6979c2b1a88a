# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Describes evidence updates as data, for backends that compute them by themselves."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from tbp.monty.backends.described_work import DescribedWork, EvidenceUpdate, Percept
from tbp.monty.backends.failures import CannotRun
from tbp.monty.frameworks.models.evidence_matching.evidence_slope_tracker import (
    EvidenceSlopeTracker,
)
from tbp.monty.frameworks.models.evidence_matching.evidence_update import (
    EvidenceQuery,
    update_graphs,
)
from tbp.monty.frameworks.models.evidence_matching.feature_evidence.calculator import (
    DefaultFeatureEvidenceCalculator,
)
from tbp.monty.frameworks.models.evidence_matching.feature_evidence.scorer import (
    DefaultFeatureEvidenceScorer,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_displacer import (
    DefaultHypothesesDisplacer,
)
from tbp.monty.frameworks.utils.graph_matching_utils import get_relevant_curvature

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
        BurstSamplingHypothesesUpdater,
    )
    from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
        DefaultHypothesesUpdater,
    )

__all__ = [
    "check_is_unchanged",
    "described",
    "described_work",
    "settings_of_parts",
    "take_back_trackers",
]


def described_work(
    updater: DefaultHypothesesUpdater | BurstSamplingHypothesesUpdater,
    query: EvidenceQuery,
) -> DescribedWork:
    """Return an update as work for a backend, with its description."""
    return DescribedWork(
        lm_id=query.lm_id,
        update=functools.partial(_update_here, updater, query),
        describe=functools.partial(updater.describe, query),
    )


def described(
    query: EvidenceQuery, kind: str, updater: Any, **of_updater: Any
) -> EvidenceUpdate:
    """Return an update as data.

    Args:
        query: The query of the learning module.
        kind: The kind of updater.
        updater: The updater.
        of_updater: What else is of the updater's kind.
    """
    return EvidenceUpdate(
        lm_id=query.lm_id,
        kind=kind,
        settings=updater.settings(),
        graph_ids=query.graph_ids,
        hypotheses=query.hypotheses,
        displacement=query.displacement,
        percepts={name: _percept(one) for name, one in query.features.items()},
        graphs=updater.graph_memory.stored_graphs,
        evidence_threshold_config=query.threshold.config,
        x_percent_threshold=query.threshold.x_percent,
        most_likely_evidence=query.threshold.highest,
        **of_updater,
    )


def settings_of_parts(
    displacer: DefaultHypothesesDisplacer, scorer: DefaultFeatureEvidenceScorer
) -> dict[str, Any]:
    """Return the settings of the parts of an updater.

    Raises:
        CannotRun: If a part is not Monty's own, or they do not belong together.
    """
    check_is_unchanged(displacer, DefaultHypothesesDisplacer)
    check_is_unchanged(scorer, DefaultFeatureEvidenceScorer)
    of_displacer, of_scorer = displacer.settings(), scorer.settings()
    calculator = of_scorer.pop("feature_evidence_calculator")
    if calculator is not DefaultFeatureEvidenceCalculator:
        name = getattr(calculator, "__name__", type(calculator).__name__)
        raise CannotRun(f"it uses {name}, of which the arithmetic is not known")
    if (
        of_displacer.pop("feature_evidence_scorer") is not scorer
        or of_displacer["feature_weights"] is not of_scorer["feature_weights"]
    ):
        raise CannotRun("its displacer scores features in another way than it does")
    return {**of_displacer, **of_scorer}


def check_is_unchanged(instance: Any, known: type) -> None:
    """Check that an object does what a class of Monty does.

    Args:
        instance: An updater or a part of one.
        known: The class.

    Raises:
        CannotRun: If it is of another class, or has a method set on it.
    """
    name = type(instance).__name__
    if type(instance) is not known:
        raise CannotRun(f"it uses {name}, of which the arithmetic is not known")
    own = [
        attribute
        for attribute, value in vars(instance).items()
        if callable(value) and hasattr(known, attribute)
    ]
    if own:
        raise CannotRun(f"{', '.join(sorted(own))} is set on its {name}")


def _update_here(updater: Any, query: EvidenceQuery) -> Any:
    take_back_trackers(updater)
    return update_graphs(updater, query)


def take_back_trackers(updater: Any) -> None:
    """Give an updater trackers of its own in place of those of a backend."""
    trackers = getattr(updater, "evidence_slope_trackers", {})
    for graph_id, tracker in trackers.items():
        if not isinstance(tracker, EvidenceSlopeTracker):
            trackers[graph_id] = EvidenceSlopeTracker.from_history(tracker.history())


def _percept(features: dict[str, Any]) -> Percept:
    curvature = features.get("principal_curvatures_log")
    if curvature is None:
        curvature = get_relevant_curvature(features)
    return Percept(
        pose_vectors=features["pose_vectors"].value,
        pose_fully_defined=features.get("pose_fully_defined", True),
        curvature=curvature,
        features=features,
    )
