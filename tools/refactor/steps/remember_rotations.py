# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The rotation of a most likely hypothesis is cached, and made when it is used."""

from __future__ import annotations

from ..codemods.add_statement import AddStatement
from ..codemods.replace_call import ReplaceCall
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On every step each learning module makes a rotation of the pose of its most likely
hypothesis, at times of several, and SciPy checks and orthogonalises the matrix each
time. Most often it is the pose of the step before. The learning module keeps the
rotations of the last few poses: that of its most likely hypothesis, and those that a
goal compares with it. A rotation is made when it is used: those of a goal that nobody
reads are not. The learning module sends out the inverse as a matrix on every step. That
is made when it is read, by another learning module; most have none above them. If it is
read on many steps, the inverse is made once.

To check: that a Rotation is never changed once it is made, since it is shared now, and
that a pose that is no rotation is still an error at once."""

_SEND_UNREAD = """\
pose_features = unread_orientation(self, mlh["rotation"])
"""

_FOLDER = "frameworks/models/evidence_matching"
_MODULE = "tbp.monty.frameworks.models.evidence_matching.mlh_rotations"

STEP = Step(
    title="perf: make the rotation of a most likely pose once, and only if used",
    body=_BODY,
    rewrites=(
        Rewrite(
            f"{_FOLDER}/learning_module.py",
            AddStatement,
            class_name="EvidenceGraphLM",
            method="__init__",
            statement="self._mlh_rotations = MLHRotations()",
            place="last",
            imports=(NeededImport(_MODULE, "MLHRotations"),),
        ),
        Rewrite(
            f"{_FOLDER}/learning_module.py",
            ReplaceCall,
            class_name="EvidenceGraphLM",
            method="_get_mlh_dict_from_id",
            function="Rotation.from_matrix",
            by="self._mlh_rotations.of",
        ),
        Rewrite(
            f"{_FOLDER}/learning_module.py",
            ReplaceStatements,
            class_name="EvidenceGraphLM",
            method="get_output",
            first="pose_features = ",
            by=_SEND_UNREAD,
            imports=(
                NeededImport(
                    "tbp.monty.frameworks.models.evidence_matching.unread_orientation",
                    "unread_orientation",
                ),
            ),
        ),
    ),
    overlay=(
        f"{_FOLDER}/mlh_rotations.py",
        f"{_FOLDER}/unread_orientation.py",
        "frameworks/utils/original_method.py",
        "frameworks/utils/unused_rotation.py",
    ),
    tests=(
        f"{_FOLDER}/mlh_rotations_test.py",
        f"{_FOLDER}/unread_orientation_test.py",
        "frameworks/utils/original_method_test.py",
        "frameworks/utils/unused_rotation_test.py",
    ),
)
