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

import itertools
from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.numpy.burst_sampling_update import sample_count
from tbp.monty.backends.numpy.new_hypotheses import sensed_frames
from tbp.monty.backends.stacked.plans import JointPlan
from tbp.monty.backends.tables.engine import NO_HYPOTHESES, NewHypotheses
from tbp.monty.backends.tables.flags import all_of, any_of
from tbp.monty.backends.tables.graphs import GraphTable

__all__ = ["NewChannels", "sampled_in_a_burst"]


class NewChannels:
    """Proposes hypotheses for input channels of which a graph has none yet.

    Attributes:
        proposed: The hypotheses.
    """

    def __init__(
        self,
        works: Sequence[DescribedWork],
        plan: JointPlan,
        graphs: GraphTable,
        was_empty: npt.NDArray[np.bool_],
    ) -> None:
        self.proposed = NO_HYPOTHESES
        self._added: list[tuple[set[str], Sequence[str]]] = []
        if not any_of(was_empty) and _all_have_hypotheses(works, plan):
            return
        matches: list[int] = []
        starts, are_empty = plan.match_starts.tolist(), was_empty.tolist()
        positions = itertools.count()
        for work, of_lm in zip(works, plan.plans, strict=True):
            channels_of = work.state.initialized_channels
            for graph_id, channels in zip(of_lm.graph_ids, of_lm.channels, strict=True):
                position = next(positions)
                known = channels_of.setdefault(graph_id, set())
                of_graph = range(starts[position], starts[position + 1])
                if are_empty[position]:
                    matches.extend(of_graph)
                else:
                    is_new = [channel not in known for channel in channels]
                    matches.extend(itertools.compress(of_graph, is_new))
                self._added.append((known, channels))
        if matches:
            self.proposed = _at_all_nodes(works, plan, graphs, np.array(matches))

    def note(self) -> None:
        """Note that the channels have hypotheses now."""
        for known, channels in self._added:
            known.update(channels)


def _all_have_hypotheses(works: Sequence[DescribedWork], plan: JointPlan) -> bool:
    """Return whether all channels that are sensed were sensed before."""
    unknown: set[str] = set()
    for i, work in enumerate(works):
        of_lm, channels_of = plan.plans[i], work.state.initialized_channels
        if channels_of == of_lm.channels_of:
            continue  # most often, and compared faster
        known = map(channels_of.get, of_lm.graph_ids, itertools.repeat(unknown))
        if not all(map(set.issuperset, known, of_lm.channels)):
            return False
    return True


def sampled_in_a_burst(
    works: Sequence[DescribedWork], plan: JointPlan, graphs: GraphTable
) -> NewHypotheses:
    """Return the hypotheses that burst sampling adds."""
    is_sampling = [work.state.burst()[0] for work in works]
    if not any(is_sampling):
        return NO_HYPOTHESES
    owners = plan.owners[plan.match_positions]
    matches = np.flatnonzero(np.array(is_sampling, dtype=np.bool_)[owners])
    if not len(matches):
        return NO_HYPOTHESES
    new = _at_all_nodes(works, plan, graphs, matches)
    if not all_of(new.pose_counts):
        raise ZeroDivisionError("hypotheses of no poses cannot be sampled")
    multipliers = np.array([work.settings["sampling_multiplier"] for work in works])
    counts = sample_count(
        new.node_counts, new.pose_counts, multipliers[owners[matches]]
    )
    new.node_counts = counts // new.pose_counts
    new.are_best[:] = True
    return new.only(counts > 0)


def _at_all_nodes(
    works: Sequence[DescribedWork],
    plan: JointPlan,
    graphs: GraphTable,
    matches: npt.NDArray[np.int64],
) -> NewHypotheses:
    """Return hypotheses at all nodes of graphs.

    Args:
        works: The works of a step.
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
        of_query, are_aligned[query] = _sensed(works[lm], key.channel)
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


def _sensed(work: DescribedWork, channel: str) -> tuple[npt.NDArray[np.float64], bool]:
    """Return the sensed frames and True, or poses that the config gives and False."""
    settings = work.settings
    given = settings["initial_possible_poses"]
    if given is not None:
        return np.array([rotation.as_matrix() for rotation in given]), False
    percept = work.state.percept(channel)
    count = 2 if percept.pose_fully_defined else settings["umbilical_num_poses"]
    return sensed_frames(percept.pose_vectors, count), True
