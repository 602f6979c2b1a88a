# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Step: the rotation of a most likely hypothesis is made once."""

from __future__ import annotations

from ..codemods.remember_call import RememberCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On every step each learning module makes a rotation of the pose of its most likely
hypothesis, at times of several, and SciPy checks and orthogonalises the matrix each
time. Most often it is the pose of the step before: poses are remembered by their
numbers.

To check: that a Rotation is never changed once it is made, since it is shared now."""

_FOLDER = "frameworks/models/evidence_matching"

STEP = Step(
    title="perf: make the rotation of a pose once while it stays most likely",
    body=_BODY,
    rewrites=(
        Rewrite(
            f"{_FOLDER}/learning_module.py",
            RememberCall,
            dict(
                class_name="EvidenceGraphLM",
                method="_get_mlh_dict_from_id",
                function="Rotation.from_matrix",
                remember="remembered",
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.models.evidence_matching.remembered",
                        "remembered",
                    ),
                ),
            ),
        ),
    ),
    overlay=(f"{_FOLDER}/remembered.py",),
    tests=(f"{_FOLDER}/remembered_test.py",),
)
