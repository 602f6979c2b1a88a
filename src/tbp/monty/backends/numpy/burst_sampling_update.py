# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The update of a `BurstSamplingHypothesesUpdater`."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import EvidenceHistory, HypothesisRows
from tbp.monty.backends.numpy.graph_update import GraphUpdate, joined
from tbp.monty.backends.numpy.new_hypotheses import best_nodes
from tbp.monty.backends.numpy.numbers import check_hypotheses
from tbp.monty.backends.numpy.slopes import (
    is_kept,
    mean_slopes,
    new_history,
    recorded,
    retained_history,
)

__all__ = ["burst_sampling_update", "sample_count"]


def burst_sampling_update(
    update: GraphUpdate,
) -> tuple[HypothesisRows, Mapping[str, Any], EvidenceHistory]:
    """Delete declining hypotheses of a graph, update the others, and sample new ones.

    Args:
        update: What to update.

    Returns:
        The hypotheses, telemetry, and past evidence.
    """
    existing, settings = update.existing, update.settings
    history = _history(update, len(existing))
    slopes = mean_slopes(history.window, history.channels)
    keep = is_kept(slopes, history.ages, settings["deletion_trigger_slope"])
    history = retained_history(history, keep)
    # All remaining hypotheses are tested; the others are deleted.
    updated, error = update.updated(_retained(existing, keep), threshold=-np.inf)
    sampled = _sampled(update) if update.of_lm.is_sampling else []
    hypotheses = joined([updated, *sampled])
    check_hypotheses(hypotheses)
    history = recorded(history, hypotheses.evidence, len(update.nodes))
    telemetry: dict[str, Any] = {"mlh_prediction_error": error}
    if not settings["include_telemetry"]:
        return hypotheses, telemetry, history
    telemetry = dict(
        displacer_telemetry=telemetry,
        added_ids=np.arange(len(updated), len(hypotheses)),
        ages=history.ages,
        evidence_slopes=mean_slopes(history.window, history.channels),
        removed_ids=np.flatnonzero(~keep),
        max_slope=update.of_lm.max_slope,
    )
    return hypotheses, telemetry, history


def sample_count(
    node_count: npt.ArrayLike, poses_per_node: npt.ArrayLike, multiplier: npt.ArrayLike
) -> npt.NDArray[np.int64]:
    """Return how many hypotheses to sample for one input channel of a graph.

    Args:
        node_count: How many nodes the graph has there; or arrays, for many graphs.
        poses_per_node: How many poses there are for a node.
        multiplier: How many hypotheses are wanted for a node, on average.

    Returns:
        The number, divisible by `poses_per_node`; never more than there are.
    """
    wanted = np.rint(np.multiply(node_count, np.minimum(multiplier, poses_per_node)))
    return (wanted - wanted % poses_per_node).astype(np.int64)


def _history(update: GraphUpdate, count: int) -> EvidenceHistory:
    tracker = update.of_lm.trackers.get(update.graph_id)
    history = None if tracker is None else tracker.history()
    # A different number means that others replaced the hypotheses: all are new.
    if history is None or len(history.ages) != count:
        return new_history(count)
    return history


def _retained(
    hypotheses: HypothesisRows, keep: npt.NDArray[np.bool_]
) -> HypothesisRows:
    return HypothesisRows(
        evidence=hypotheses.evidence[keep],
        locations=hypotheses.locations[keep],
        poses=hypotheses.poses[keep],
        possible=hypotheses.possible[keep],
    )


def _sampled(update: GraphUpdate) -> list[HypothesisRows]:
    sampled = []
    for channel, match in update.matches.items():
        poses = update.poses_per_node(channel)
        count = sample_count(
            len(match.scores), poses, update.settings["sampling_multiplier"]
        )
        chosen = best_nodes(match.scores, int(count) // poses)
        sampled.append(update.new_hypotheses(channel, chosen))
    return sampled
