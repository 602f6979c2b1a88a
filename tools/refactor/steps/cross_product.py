# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The cross product of two vectors is computed without np.cross."""

from __future__ import annotations

from ..class_codemod import MODULE
from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Each patch needs two cross products, each of two vectors. np.cross moves axes and
broadcasts for that, which takes far longer than six products.
The product is 16 times faster, and curvatures of 64 x 64 pixels 1.1 times.

To check: that everything but two vectors of floats still goes to np.cross."""


def _replaced(file: str, function: str) -> Rewrite:
    return Rewrite(
        f"frameworks/utils/{file}",
        ReplaceCall,
        class_name=MODULE,
        method=function,
        function="np.cross",
        by="cross_product",
        imports=(
            NeededImport("tbp.monty.frameworks.utils.cross_product", "cross_product"),
        ),
    )


STEP = Step(
    title="perf: compute cross products without np.cross",
    body=_BODY,
    rewrites=(
        _replaced("sensor_processing.py", "principal_curvatures"),
        _replaced("spatial_arithmetics.py", "get_right_hand_angle"),
    ),
    overlay=("frameworks/utils/cross_product.py",),
    tests=("frameworks/utils/cross_product_test.py",),
)
