# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Whether a matrix is a rotation is seen without a dozen calls of numpy."""

from __future__ import annotations

from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
From scipy 1.17 on, making a rotation of one matrix takes 100 us: a dozen calls of numpy
see whether its determinant is positive and its rows are orthogonal within 1e-12. Poses
of hypotheses are not, since models hold single precision, and take 155 us; the nearest
orthogonal matrix is only 17 of them. A few lines of Python answer both questions in
2 us, and scipy is told to take the matrix as it is: 25 and 55 us in all, with the same
bits.

To check: that a matrix near one of scipy's limits still goes through its checks."""

_NAME = "rotation_of_matrix"

STEP = Step(
    title="perf: see whether a matrix is a rotation without numpy",
    body=_BODY,
    rewrites=(
        Rewrite(
            "geometry.py",
            ReplaceCall,
            dict(
                class_name="Rotation",
                method="from_matrix",
                function="ScipyRotation.from_matrix",
                by=_NAME,
                imports=(NeededImport(f"tbp.monty.frameworks.utils.{_NAME}", _NAME),),
            ),
        ),
    ),
    overlay=(f"frameworks/utils/{_NAME}.py",),
    tests=(f"frameworks/utils/{_NAME}_test.py",),
)
