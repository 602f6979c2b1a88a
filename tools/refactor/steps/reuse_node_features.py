# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Feature arrays are made again only when a graph has changed."""

from __future__ import annotations

from ..codemods.add_decorator import AddDecorator
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
At the start of every episode a graph memory collects the features of all nodes of all
graphs, one node at a time: half a second for a learning module that knows ten objects.
While a graph is unchanged the arrays of the last episode are used again. Backends that
keep their own tables know by that, too, that these are still good.

To check: that learning replaces a graph as a whole, and never writes into it."""

_DECORATOR = "reused_while_unchanged"

STEP = Step(
    title="perf: make feature arrays again only when a graph has changed",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/graph_matching.py",
            AddDecorator,
            dict(
                class_name="GraphMemory",
                method="_get_all_node_features",
                decorator=_DECORATOR,
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.models.node_features", _DECORATOR
                    ),
                ),
            ),
        ),
    ),
    overlay=("frameworks/models/node_features.py",),
    tests=("frameworks/models/node_features_test.py",),
)
