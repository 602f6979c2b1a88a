# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is compared on every step is compared without slow functions of numpy's."""

from __future__ import annotations

from ..class_codemod import MODULE
from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On each step a goal generator compares the two most likely objects, and the rotation of
the first, with those of its last goal. np.all makes an array of what is one bool
already, or calls a method of the array through three functions. The larger of two
curvatures is found once per graph and channel; np.max takes 2.4 times longer for it
than the function that it calls in the end.

To check: that all_true returns what np.all does, and np.maximum.reduce what np.max does
for two curvatures."""

STEP = Step(
    title="perf: compare hypotheses and curvatures without np.all and np.max",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/goal_generation.py",
            ReplaceCall,
            class_name="EvidenceGoalGenerator",
            method="_check_conditions_for_hypothesis_test",
            function="np.all",
            by="all_true",
            imports=(NeededImport("tbp.monty.frameworks.utils.all_true", "all_true"),),
        ),
        Rewrite(
            "frameworks/utils/graph_matching_utils.py",
            ReplaceCall,
            class_name=MODULE,
            method="get_relevant_curvature",
            function="np.max",
            by="np.maximum.reduce",
        ),
    ),
    overlay=("frameworks/utils/all_true.py",),
    tests=("frameworks/utils/all_true_test.py",),
)
