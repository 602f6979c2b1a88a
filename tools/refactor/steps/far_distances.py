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

from typing import Any

from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
To test a hypothesis, a goal is set where the graph of one object is farthest from that
of another. The nearest node of each of a thousand nodes was searched for, and only the
largest distance was used. A coarse grid knows a node that is near, if not the nearest,
which bounds the distance; the search is done for the few nodes that can be farthest.
With graphs of 750 nodes that takes 213 us instead of 568 us, with 1 600 to 2 000 nodes
417 us instead of 1 336 us. The check beside it rotated a location twice that was
rotated before.

To check: that the bound is one of a distance to a node of the graph, and that of
equally far nodes the first is found."""

_NAME = "far_distances"


def _replaced(**settings: Any) -> Rewrite:
    return Rewrite(
        "frameworks/models/goal_generation.py",
        ReplaceStatements,
        dict(
            class_name="EvidenceGoalGenerator",
            method="_compute_graph_mismatch",
            **settings,
        ),
    )


STEP = Step(
    title="perf: search for the nearest node only where a graph may be farthest",
    body=_BODY,
    rewrites=(
        _replaced(
            first="transformed_current_loc = top_mlh",
            by="""\
# Zeros, or NaN where the location is NaN
transformed_current_loc = current_mlh_location - current_mlh_location
""",
        ),
        _replaced(
            first="radius_node_dists = ",
            by=f"radius_node_dists = {_NAME}(second_mlh_graph, top_mlh_graph)\n",
            imports=(NeededImport(f"tbp.monty.frameworks.models.{_NAME}", _NAME),),
        ),
    ),
    overlay=(f"frameworks/models/{_NAME}.py",),
    tests=(f"frameworks/models/{_NAME}_test.py",),
)
