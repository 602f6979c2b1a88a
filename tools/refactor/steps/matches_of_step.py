# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A goal generator uses the possible matches that its learning module just found."""

from __future__ import annotations

from ..codemods.replace_expression import ReplaceExpression
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
A goal generator is stepped right after its learning module has found the possible
matches of the step. To decide whether to test a hypothesis, it found them once more,
with the same result. Now it asks for those of the step.

To check: that nothing changes the evidence between the two (process_matching_step)."""

STEP = Step(
    title="perf: use the possible matches of the step to decide about a goal",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/goal_generation.py",
            ReplaceExpression,
            class_name="EvidenceGoalGenerator",
            method="_check_conditions_for_hypothesis_test",
            expression="self.parent_lm._threshold_possible_matches()",
            by="self.parent_lm.get_possible_matches()",
        ),
    ),
)
