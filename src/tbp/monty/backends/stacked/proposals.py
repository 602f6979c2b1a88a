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
from tbp.monty.backends.tables.engine import NewHypotheses
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
        self.proposed: list[NewHypotheses] = []
        self._added: list[tuple[set[str], list[str]]] = []
        if not was_empty.any() and _all_have_hypotheses(works, plan):
            return
        nodes = _AllNodes(works, plan, graphs)
        starts = plan.match_starts.tolist()
        positions = itertools.count()
        for i, work in enumerate(works):
            for graph_id in plan.plans[i].graph_ids:
                position = next(positions)
                known = work.state.initialized_channels.setdefault(graph_id, set())
                added = []
                for match, channel in enumerate(
                    plan.channels[position], starts[position]
                ):
                    if was_empty[position] or channel not in known:
                        added.append(channel)
                        new = nodes.hypotheses(position, match, channel)
                        self.proposed.append(new)
                self._added.append((known, added))

    def note(self) -> None:
        """Note that the channels have hypotheses now."""
        for known, added in self._added:
            known.update(added)


def _all_have_hypotheses(works: Sequence[DescribedWork], plan: JointPlan) -> bool:
    """Return whether all channels that are sensed were sensed before."""
    unknown: set[str] = set()
    for i, work in enumerate(works):
        of_lm = plan.plans[i]
        get = work.state.initialized_channels.get
        known = map(get, of_lm.graph_ids, itertools.repeat(unknown))
        if not all(map(set.issuperset, known, of_lm.channels)):
            return False
    return True


def sampled_in_a_burst(
    works: Sequence[DescribedWork], plan: JointPlan, graphs: GraphTable
) -> list[NewHypotheses]:
    """Return the hypotheses that burst sampling adds."""
    new: list[NewHypotheses] = []
    is_sampling = [work.state.burst()[0] for work in works]
    if not any(is_sampling):
        return new
    nodes = _AllNodes(works, plan, graphs)
    starts = plan.match_starts.tolist()
    for i, work in enumerate(works):
        if not is_sampling[i]:
            continue
        multiplier = work.settings["sampling_multiplier"]
        for position in range(len(starts))[plan.positions[i]]:
            for match, channel in enumerate(plan.channels[position], starts[position]):
                one = nodes.hypotheses(position, match, channel)
                per_node = len(one.poses)
                count = sample_count(one.node_count, per_node, multiplier)
                if count:
                    one.best = count // per_node
                    new.append(one)
    return new


class _AllNodes:
    """Proposes hypotheses for all nodes of a graph."""

    def __init__(
        self, works: Sequence[DescribedWork], plan: JointPlan, graphs: GraphTable
    ) -> None:
        self._works = works
        # Lists, as taking single numbers out of arrays is slow.
        self._owners = plan.owners.tolist()
        self._graphs = plan.match_graphs.tolist()
        self._node_counts = graphs.node_counts[plan.match_graphs].tolist()
        self._sensed: dict[tuple[int, str], tuple[npt.NDArray[np.float64], bool]] = {}

    def hypotheses(self, position: int, match: int, channel: str) -> NewHypotheses:
        """Return those of a graph for what is sensed.

        Args:
            position: The graph's segment, by its position in the work.
            match: The graph and what is sensed, by its position among the matches.
            channel: The channel that senses it.
        """
        # Computed once: all graphs of a learning module share what it senses.
        key = (self._owners[position], channel)
        if key not in self._sensed:
            self._sensed[key] = _sensed(self._works[key[0]], channel)
        poses, is_aligned = self._sensed[key]
        return NewHypotheses(
            position=position,
            match=match,
            graph=self._graphs[match],
            node_count=self._node_counts[match],
            poses=poses,
            is_aligned=is_aligned,
        )


def _sensed(work: DescribedWork, channel: str) -> tuple[npt.NDArray[np.float64], bool]:
    """Return the sensed frames and True, or the poses that the config gives."""
    settings = work.settings
    given = settings["initial_possible_poses"]
    if given is not None:
        return np.array([rotation.as_matrix() for rotation in given]), False
    percept = work.state.percept(channel)
    count = 2 if percept.pose_fully_defined else settings["umbilical_num_poses"]
    return sensed_frames(percept.pose_vectors, count), True
