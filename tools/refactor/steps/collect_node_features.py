# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The features of all nodes of a graph are collected at once."""

from __future__ import annotations

from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
The features of a graph were collected node by node, which takes 47 ms for a graph of a
pretrained model: 2.3 s at the start of a run with five learning modules and ten
objects. They are read for all nodes at once now, as `get_features_at_node` allows. A
subclass with its own is still asked for each node.

To check: that the arrays are the same, also for graphs without nodes."""

_COLLECT = """\
feature_order = collect_node_features(
    self, graph_id, input_channel, all_node_ids, feature_arrays
)
"""

STEP = Step(
    title="perf: collect the features of all nodes of a graph at once",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/graph_matching.py",
            ReplaceStatements,
            dict(
                class_name="GraphMemory",
                method="_get_all_node_features",
                first="feature_order = []",
                last="for i, node_id in enumerate(all_node_ids)",
                by=_COLLECT,
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.models.node_features",
                        "collect_node_features",
                    ),
                ),
            ),
        ),
    ),
)
