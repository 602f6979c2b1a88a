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
At the start of every episode a graph memory collects the features of all nodes of all
graphs, one node at a time. That takes 47 ms for a graph of a pretrained model: 2.3 s
with five learning modules and ten objects.

The features of a graph are read for all nodes at once now, as `get_features_at_node`
allows. Overrides of it are still asked for one node after the other.

To check: that the arrays are the same."""


def _replaced(function: str, by: str, first: str, last: str | None = None) -> Rewrite:
    return Rewrite(
        "frameworks/models/graph_matching.py",
        ReplaceStatements(
            class_name="GraphMemory",
            method="_get_all_node_features",
            by=by,
            imports=(
                NeededImport("tbp.monty.frameworks.models.node_features", function),
            ),
            first=first,
            last=last,
        ),
    )


_COLLECT = """\
feature_order = collect_node_features(
    self, graph_id, input_channel, all_node_ids, feature_arrays
)
"""

STEP = Step(
    title="perf: collect the features of all nodes of a graph at once",
    part="fork",
    after="displace_at_once",
    # Independent of all of the above; the compiled backends gain most from these.
    body=_BODY,
    rewrites=(
        _replaced(
            "collect_node_features",
            _COLLECT,
            first="feature_order = []",
            last="for i, node_id in enumerate(all_node_ids)",
        ),
    ),
    overlay=("frameworks/models/node_features.py",),
    tests=("frameworks/models/node_features_test.py",),
)
