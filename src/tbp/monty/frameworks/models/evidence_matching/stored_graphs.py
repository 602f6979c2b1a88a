# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The graphs of a graph memory, as backends read them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import Nodes

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.graph_memory import (
        EvidenceGraphMemory,
    )

__all__ = ["StoredGraphs"]

_REVISIONS = itertools.count(1)
"""Of all memories: no two contents have the same number."""


class StoredGraphs:
    """The graphs of a memory, with numbers that change when nodes change.

    Attributes:
        revision: The number of all graphs.
    """

    def __init__(self, memory: EvidenceGraphMemory) -> None:
        self._memory = memory
        self.revision = next(_REVISIONS)
        self._revisions: dict[tuple[str, str], int] = {}
        self._contents: dict[tuple[str, str], tuple[Any, Any]] = {}

    def refresh(self) -> None:
        """Note which graphs are new or have changed since this was called last."""
        memory, former = self._memory, self._contents
        contents = {
            (graph_id, channel): (model.pos, model.x)
            for graph_id in memory.get_memory_ids()
            for channel, model in memory.models_in_memory[graph_id].items()
        }
        changed = [
            key
            for key, content in contents.items()
            if key not in former or not all(map(_is_same, content, former[key]))
        ]
        if changed or contents.keys() != former.keys():
            self.revision = next(_REVISIONS)
        self._revisions.update((key, next(_REVISIONS)) for key in changed)
        self._contents = contents

    def graph_revision(self, graph_id: str, channel: str) -> int:
        return self._revisions[graph_id, channel]

    def channels(self, graph_id: str) -> Sequence[str]:
        return self._memory.get_input_channels_in_graph(graph_id)

    def nodes(self, graph_id: str, channel: str) -> Nodes:
        memory = self._memory
        pose_fully_defined = memory.get_features_at_node(
            graph_id,
            channel,
            memory.get_graph_node_ids(graph_id, channel),
            feature_keys=["pose_fully_defined"],
        )["pose_fully_defined"]
        return Nodes(
            locations=_floats(memory.get_locations_in_graph(graph_id, channel)),
            pose_vectors=_floats(
                memory.get_rotation_features_at_all_nodes(graph_id, channel)
            ),
            pose_fully_defined=np.asarray(pose_fully_defined).reshape(-1) != 0,
            features=_floats(memory.get_feature_array(graph_id)[channel]),
            feature_order=memory.get_feature_order(graph_id)[channel],
        )


def _is_same(one: npt.ArrayLike, other: npt.ArrayLike) -> bool:
    return one is other or np.array_equal(one, other, equal_nan=True)


def _floats(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    # Learned models may have single precision.
    return np.asarray(values, dtype=np.float64)
