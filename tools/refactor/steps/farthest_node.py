# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Where two graphs differ most is found without a search for all nodes."""

from __future__ import annotations

from ..codemods.extract_statements import ExtractStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
To test a hypothesis, a goal is set where the graph of one object is farthest from that
of another. All of its nodes, a thousand or two, were moved to the other object, and the
node nearest to each was searched for; only which one is farthest was used. Now a coarse
grid knows a node near each of them, which bounds the distance, and the search is done
for the few that can be farthest. With graphs of 660 to 920 nodes that takes 215 us
instead of 900 us, with 1 600 to 2 000 nodes 470 us instead of 1 660 us. If another node
may be as far but for rounding, all of it is done as before, in a method of its own.

To check: that the bound is one of a distance to a node of the graph, and that rounding
is never larger than the doubt in farthest_node.py."""

_NAME = "clearly_farthest_node"

_FIND = f"""\
other = self.parent_lm.get_graph(second_id, sensor_channel_name)
target_loc_id = {_NAME}(top_mlh, top_mlh_graph, second_mlh, other)
if target_loc_id is None:
    target_loc_id = self._search_farthest_node(
        top_mlh, top_mlh_graph, second_mlh, second_id, sensor_channel_name
    )
"""

_SEARCH = '''\
def _search_farthest_node(
    self, top_mlh, top_mlh_graph, second_mlh, second_id, sensor_channel_name
):
    """Return the node of the top graph that is farthest from the second graph."""
'''

STEP = Step(
    title="perf: search for the nearest node only where a graph may be farthest",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/goal_generation.py",
            ExtractStatements,
            class_name="EvidenceGoalGenerator",
            method="_compute_graph_mismatch",
            first="rotated_graph = ",
            last="target_loc_id = ",
            variable="target_loc_id",
            extracted=_SEARCH,
            by=_FIND,
            imports=(NeededImport("tbp.monty.frameworks.models.farthest_node", _NAME),),
        ),
    ),
    overlay=("frameworks/models/farthest_node.py",),
    tests=("frameworks/models/farthest_node_test.py",),
)
