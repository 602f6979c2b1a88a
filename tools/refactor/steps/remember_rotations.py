# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
"""The rotation of a most likely pose is made once."""

from __future__ import annotations

from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On every step each learning module makes rotations of its most likely poses, several
times, and SciPy checks and orthogonalises the matrix each time. Most often it is the
pose of the step before. The last rotations are kept, by the bytes of their matrices.

To check: that a Rotation is never changed once it is made, since it is shared now, and
that a pose that is no rotation is an error, also the second time."""

_FOLDER = "frameworks/models/evidence_matching"

STEP = Step(
    title="perf: make the rotation of a most likely pose once",
    body=_BODY,
    rewrites=(
        Rewrite(
            f"{_FOLDER}/learning_module.py",
            ReplaceCall,
            class_name="EvidenceGraphLM",
            method="_get_mlh_dict_from_id",
            function="Rotation.from_matrix",
            by="rotation_of",
            imports=(
                NeededImport(
                    "tbp.monty.frameworks.models.evidence_matching.known_rotations",
                    "rotation_of",
                ),
            ),
        ),
    ),
    overlay=(f"{_FOLDER}/known_rotations.py",),
    tests=(f"{_FOLDER}/known_rotations_test.py",),
)
