# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A matrix that equals another is not compared within a tolerance."""

from __future__ import annotations

from ..class_codemod import MODULE
from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
For each surface normal np.allclose checks whether a matrix of nine numbers is
symmetric, which takes longer than its eigenvectors. The matrix is a product of a matrix
and its transpose, and nearly always symmetric to the last bit. One comparison shows it.
A surface normal of 64 x 64 pixels takes 1.4 times less time.

To check: that matrices with NaN, or that differ, still go to np.allclose."""

_NAME = "all_equal_or_close"

STEP = Step(
    title="perf: compare a matrix with its transpose before np.allclose",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/utils/sensor_processing.py",
            ReplaceCall,
            class_name=MODULE,
            method="surface_normal_total_least_squares",
            function="np.allclose",
            by=_NAME,
            imports=(NeededImport(f"tbp.monty.frameworks.utils.{_NAME}", _NAME),),
        ),
    ),
    overlay=(f"frameworks/utils/{_NAME}.py",),
    tests=(f"frameworks/utils/{_NAME}_test.py",),
)
