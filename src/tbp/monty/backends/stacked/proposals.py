# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which hypotheses to add on a step."""

from __future__ import annotations

from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import EvidenceUpdate
from tbp.monty.backends.numpy.burst_sampling_update import sample_count
from tbp.monty.backends.numpy.new_hypotheses import sensed_frames
from tbp.monty.backends.stacked.plans import JointPlan
from tbp.monty.backends.tables.engine import NO_HYPOTHESES, NewHypotheses
from tbp.monty.backends.tables.flags import all_of
from tbp.monty.backends.tables.graphs import GraphTable

__all__ = ["of_new_channels", "sampled_in_a_burst"]


def of_new_channels(
    updates: Sequence[EvidenceUpdate],
    plan: JointPlan,
    graphs: GraphTable,
    was_empty: npt.NDArray[np.bool_],
) -> NewHypotheses:
    """Return hypotheses for input channels of which a graph has none yet.

    Args:
        updates: The updates of a step.
        plan: Their plan.
        graphs: The graphs.
        was_empty: Which segments have no hypotheses.
    """
    matches: list[int] = []
    first = position = 0
    for update, of_lm in zip(updates, plan.plans, strict=True):
        known_of = update.initialized_channels
        for graph_id, channels in zip(of_lm.graph_ids, of_lm.channels, strict=True):
            known = () if was_empty[position] else known_of.get(graph_id, ())
            for match, channel in enumerate(channels, first):
                if channel not in known:
                    matches.append(match)
            first += len(channels)
            position += 1
    if not matches:
        return NO_HYPOTHESES
    return _at_all_nodes(updates, plan, graphs, np.array(matches))


def sampled_in_a_burst(
    updates: Sequence[EvidenceUpdate], plan: JointPlan, graphs: GraphTable
) -> NewHypotheses:
    """Return the hypotheses that burst sampling adds."""
    is_sampling = [update.is_sampling for update in updates]
    if not any(is_sampling):
        return NO_HYPOTHESES
    owners = plan.owners[plan.match_positions]
    matches = np.flatnonzero(np.array(is_sampling, dtype=np.bool_)[owners])
    if not len(matches):
        return NO_HYPOTHESES
    new = _at_all_nodes(updates, plan, graphs, matches)
    if not all_of(new.pose_counts):
        raise ZeroDivisionError("hypotheses of no poses cannot be sampled")
    multipliers = np.array([one.settings["sampling_multiplier"] for one in updates])
    counts = sample_count(
        new.node_counts, new.pose_counts, multipliers[owners[matches]]
    )
    new.node_counts = counts // new.pose_counts
    new.are_best[:] = True
    return new.only(counts > 0)


def _at_all_nodes(
    updates: Sequence[EvidenceUpdate],
    plan: JointPlan,
    graphs: GraphTable,
    matches: npt.NDArray[np.int64],
) -> NewHypotheses:
    """Return hypotheses at all nodes of graphs.

    Args:
        updates: The updates of a step.
        plan: Their plan.
        graphs: The graphs.
        matches: For which matches, by their positions in the plan.
    """
    queries = plan.match_queries[matches]
    starts, counts = np.zeros((2, len(plan.asked)), dtype=np.int64)
    are_aligned = np.zeros(len(plan.asked), dtype=np.bool_)
    poses: list[npt.NDArray[np.float64]] = []
    # Computed once: all graphs of a learning module share what it senses.
    for query in np.unique(queries).tolist():
        lm, key = plan.asked[query]
        of_query, are_aligned[query] = _sensed(updates[lm], key.channel)
        counts[query] = len(of_query)
        poses.append(of_query)
    starts[1:] = counts.cumsum()[:-1]
    return NewHypotheses(
        positions=plan.match_positions[matches],
        matches=matches,
        node_counts=graphs.node_counts[plan.match_graphs[matches]],
        are_best=np.zeros(len(matches), dtype=np.bool_),
        poses=np.concatenate(poses, dtype=np.float64),
        pose_starts=starts[queries],
        pose_counts=counts[queries],
        are_aligned=are_aligned[queries],
        head_starts=np.zeros(len(matches)),
    )


def _sensed(
    update: EvidenceUpdate, channel: str
) -> tuple[npt.NDArray[np.float64], bool]:
    """Return the sensed frames and True, or poses that the config gives and False."""
    settings = update.settings
    given = settings["initial_possible_poses"]
    if given is not None:
        return np.array([rotation.as_matrix() for rotation in given]), False
    percept = update.percepts[channel]
    count = 2 if percept.pose_fully_defined else settings["umbilical_num_poses"]
    return sensed_frames(percept.pose_vectors, count), True
