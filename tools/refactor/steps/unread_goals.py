# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Goals that test hypotheses are computed when somebody reads them."""

from __future__ import annotations

from ..codemods.add_statement import AddStatement
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Each learning module may set a goal on a step, and the motor system takes the one with
the highest confidence. Where the others are was computed, too, and nobody read it. Now
the generator keeps what its learning module knows, and the same statements compute the
goal from that when somebody reads more than its confidence. That is the confidence of
the learning module's output, of which the rest is not made. With 50 learning modules, a
step in which most of them set a goal takes half as long.

To check: that the generator asks its learning module for nothing else than what is
kept, that none of it changes later, that the confidence is that of the output, and that
of the second pose only the location and the rotation are read (unread_goal_test.py). An
error in computing a goal is raised where it is read."""

_MODULE = "tbp.monty.frameworks.models.unread_goal"

_UNREAD = """\
if (goal := unread_goal(self, observations)) is not None:
    return goal
"""

STEP = Step(
    title="perf: compute a goal when it is read",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/goal_generation.py",
            AddStatement,
            class_name="EvidenceGoalGenerator",
            method="_generate_goal",
            statement=_UNREAD,
            place="first",
            imports=(NeededImport(_MODULE, "unread_goal"),),
        ),
        Rewrite(
            "frameworks/models/goal_generation.py",
            ReplaceStatements,
            class_name="GraphGoalGenerator",
            method="_update_gsg_logging",
            first='self.output_goal.info["achieved"]',
            last='self.output_goal.info["matching_step_when_output_goal_set"]',
            by="add_outcome(self.output_goal, output_goal_achieved, match_step)",
            imports=(NeededImport(_MODULE, "add_outcome"),),
        ),
    ),
    overlay=("frameworks/models/unread_goal.py",),
    tests=("frameworks/models/unread_goal_test.py",),
)
