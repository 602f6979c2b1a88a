# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The evidence update of all graphs of a learning module, in two halves."""

from __future__ import annotations

import functools
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence, TypeVar

import numpy as np
import numpy.typing as npt

from tbp.monty.backends import EvidenceOutcome, EvidenceWork
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
        HypothesesUpdater,
        HypothesesUpdateTelemetry,
    )

__all__ = [
    "EvidenceQuery",
    "EvidenceThreshold",
    "dispatch_update",
    "evidence_work",
    "process_update",
    "update_each_graph",
    "update_graph",
    "update_graphs",
]

_Result = TypeVar("_Result")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class EvidenceThreshold:
    """How much evidence a hypothesis needs to be tested.

    Attributes:
        rule: Returns it, given the other attributes and all evidence of a graph.
        config: See `evidence_threshold_config` of the learning module.
        x_percent: See `x_percent_threshold` of the learning module.
        highest: The evidence of the most likely hypothesis of all graphs.
    """

    rule: Callable[..., float]
    config: float | str
    x_percent: float
    highest: float

    def of(self, evidence: npt.NDArray[np.float64]) -> float:
        """Return the threshold of a graph whose hypotheses have this evidence."""
        return self.rule(self.config, self.x_percent, self.highest, evidence)


@dataclass(eq=False)
class EvidenceQuery:
    """What a learning module gives to its hypotheses updater on a step.

    Attributes:
        lm_id: The learning module.
        graph_ids: The graphs to update.
        hypotheses: The hypotheses so far, of graphs that have any.
        features: What is sensed, by input channel.
        displacement: How far the sensors have moved; None before the first movement.
        threshold: Which hypotheses are tested.
        in_threads: Whether graphs may be updated at the same time.
    """

    lm_id: str
    graph_ids: Sequence[str]
    hypotheses: Mapping[str, Hypotheses]
    features: dict[str, Any]
    displacement: npt.NDArray[np.float64] | None
    threshold: EvidenceThreshold
    in_threads: bool


def dispatch_update(updater: HypothesesUpdater, query: EvidenceQuery) -> Any:
    """Return a pending update. An updater without halves runs all of it here."""
    if hasattr(updater, "dispatch"):
        return updater.dispatch(query)
    return update_graphs(updater, query)


def process_update(updater: HypothesesUpdater, pending: Any) -> EvidenceOutcome:
    """Return the results of an update that may be pending."""
    if isinstance(pending, EvidenceOutcome):
        return pending
    return updater.process(pending)


def evidence_work(updater: HypothesesUpdater, query: EvidenceQuery) -> EvidenceWork:
    """Return an update as work for a backend."""
    return EvidenceWork(query.lm_id, functools.partial(update_graphs, updater, query))


def update_graphs(updater: HypothesesUpdater, query: EvidenceQuery) -> EvidenceOutcome:
    """Return all graphs' results of the updater's own methods."""
    update = functools.partial(update_graph, updater, query)
    results = update_each_graph(updater, query, update)
    return EvidenceOutcome(
        hypotheses={graph_id: one for graph_id, (one, _) in results.items()},
        telemetry={
            graph_id: one for graph_id, (_, one) in results.items() if one is not None
        },
    )


def update_each_graph(
    updater: HypothesesUpdater, query: EvidenceQuery, update: Callable[[str], _Result]
) -> dict[str, _Result]:
    """Return what a function returns for each graph, in the context of the updater."""

    def updated(graph_id: str) -> tuple[str, _Result]:
        return graph_id, update(graph_id)

    with updater:
        if not (query.in_threads and query.graph_ids):
            return dict(map(updated, query.graph_ids))
        # One thread per graph: the graphs do not depend on each other.
        with ThreadPoolExecutor(len(query.graph_ids)) as threads:
            return dict(threads.map(updated, query.graph_ids))


def update_graph(
    updater: HypothesesUpdater, query: EvidenceQuery, graph_id: str
) -> tuple[Hypotheses, HypothesesUpdateTelemetry]:
    """Return the updated hypotheses of a graph, and telemetry."""
    former = query.hypotheses.get(graph_id)
    if former is None:
        former = Hypotheses.empty()
    threshold = query.threshold.of(former.evidence)
    updated, telemetry = updater.update_evidence(
        hypotheses=updater.displace_hypotheses(former, query.displacement, graph_id),
        features=query.features,
        graph_id=graph_id,
        evidence_update_threshold=threshold,
    )
    if updated is None:  # No channel of the graph is sensed. It is not displaced then.
        updated = former
    assert not np.isnan(updated.evidence).any(), "evidence contains NaN."
    logger.debug("updated %s hypotheses of %s", len(updated.evidence), graph_id)
    return updated, telemetry
