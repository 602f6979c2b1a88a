# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Noise turns pose vectors without a rotation of scipy."""

from __future__ import annotations

from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Noise turns the pose vectors of each percept by three angles. scipy makes a rotation of
them and applies it. In a run that takes 200 us, nearly all of it to see which array
library the angles are from. The same sums and products of Python's floats take 30 us.

To check: that angles that are zero or not finite, other numbers of vectors, and
releases of scipy that were not compared are still left to scipy."""

_NAME = "rotation_by_degrees"

STEP = Step(
    title="perf: turn pose vectors without a rotation of scipy",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/sensor_modules.py",
            ReplaceStatements,
            class_name="DefaultMessageNoise",
            method="__call__",
            first="noise_rotation = Rotation.from_euler(",
            by="noise_rotation = RotationByDegrees(noise_angles)\n",
            imports=(
                NeededImport(
                    f"tbp.monty.frameworks.utils.{_NAME}", "RotationByDegrees"
                ),
            ),
            unused=("Rotation",),
        ),
    ),
    overlay=(f"frameworks/utils/{_NAME}.py",),
    tests=(f"frameworks/utils/{_NAME}_test.py",),
)
