# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The features of nodes are collected at once, and kept while a graph is unchanged."""

from __future__ import annotations

from ..codemods.add_decorator import AddDecorator
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
At the start of every episode a graph memory collects the features of all nodes of all
graphs, one node at a time. That takes 47 ms for a graph of a pretrained model: 2.3 s
with five learning modules and ten objects.

The features of a graph are read for all nodes at once now, as `get_features_at_node`
allows. A subclass with its own is still asked for each node. While a graph is unchanged
the arrays of the last episode are used again. Backends that keep their own tables know
by that, too, that these are still good.

To check: that the arrays are the same, also for graphs without nodes; that learning
replaces a graph as a whole, and never writes into it."""

_COLLECT = "collect_node_features"
_REUSED = "reused_while_unchanged"
_METHOD = dict(class_name="GraphMemory", method="_get_all_node_features")


def _import(name: str) -> tuple[NeededImport]:
    return (NeededImport("tbp.monty.frameworks.models.node_features", name),)


STEP = Step(
    title="perf: collect the features of nodes once per graph",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/graph_matching.py",
            AddDecorator,
            **_METHOD,
            decorator=_REUSED,
            imports=_import(_REUSED),
        ),
        Rewrite(
            "frameworks/models/graph_matching.py",
            ReplaceStatements,
            **_METHOD,
            first="feature_order = []",
            last="for i, node_id in enumerate(all_node_ids)",
            by=f"""\
feature_order = {_COLLECT}(
    self, graph_id, input_channel, all_node_ids, feature_arrays
)
""",
            imports=_import(_COLLECT),
        ),
    ),
    overlay=("frameworks/models/node_features.py",),
    tests=("frameworks/models/node_features_test.py",),
)
