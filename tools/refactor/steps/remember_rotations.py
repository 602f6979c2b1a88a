# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The rotation of a most likely hypothesis is made once, and not copied."""

from __future__ import annotations

from ..codemods.add_method import AddMethod
from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On every step each learning module makes a rotation of the pose of its most likely
hypothesis, at times of several. SciPy checks and orthogonalises the matrix each time,
which takes 100 to 155 us from scipy 1.17 on. Most often it is the pose of the step
before, so the last rotations are kept by their poses. After each step, and again after
each vote, a deep copy of the hypothesis is kept as a statistic. Most of that time went
into copying the rotation, which is shared now.

To check: that no method changes a rotation."""

_SHARED = """\
def __deepcopy__(self, memo: dict[int, object]) -> Rotation:
    return self  # No method changes a rotation.
"""

STEP = Step(
    title="perf: make the rotation of a pose once, and do not copy it",
    part="perf",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/evidence_matching/learning_module.py",
            ReplaceCall(
                class_name="EvidenceGraphLM",
                method="_get_mlh_dict_from_id",
                function="Rotation.from_matrix",
                by="rotation_of_pose",
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.utils.rotation_of_pose",
                        "rotation_of_pose",
                    ),
                ),
            ),
        ),
        Rewrite(
            "geometry.py",
            AddMethod(
                class_name="Rotation",
                place_after="__init__",
                method=_SHARED,
            ),
        ),
    ),
    overlay=("frameworks/utils/rotation_of_pose.py",),
    tests=("frameworks/utils/rotation_of_pose_test.py",),
)
