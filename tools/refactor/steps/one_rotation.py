# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""One rotation is made and inverted with fewer calls of numpy."""

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

A learning module inverts a rotation whenever it sends out another pose, and four times
for each goal. scipy takes 17 us for one, though since scipy 1.14 it only changes the
signs of three numbers. With the methods by which a rotation is pickled, that takes
5.5 us.

To check: that a matrix near one of scipy's limits still goes through its checks, and
that a rotation that holds several, or another library's array, is still inverted by
scipy."""

_MATRIX = "rotation_of_matrix"
_INVERSE = "inverse_rotation"


def _replaced(method: str, function: str, by: str, first: str = "") -> Rewrite:
    return Rewrite(
        "geometry.py",
        ReplaceCall,
        class_name="Rotation",
        method=method,
        function=function,
        by=by,
        first=first,
        imports=(NeededImport(f"tbp.monty.frameworks.utils.{by}", by),),
    )


STEP = Step(
    title="perf: make and invert one rotation with fewer calls of numpy",
    body=_BODY,
    rewrites=(
        _replaced("from_matrix", "ScipyRotation.from_matrix", _MATRIX),
        _replaced("inv", "self._rot.inv", _INVERSE, first="self._rot"),
    ),
    overlay=tuple(f"frameworks/utils/{name}.py" for name in (_MATRIX, _INVERSE)),
    tests=tuple(f"frameworks/utils/{name}_test.py" for name in (_MATRIX, _INVERSE)),
)
