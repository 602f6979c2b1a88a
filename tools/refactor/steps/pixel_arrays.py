# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Arrays that depend on the shape of an image only are computed once."""

from __future__ import annotations

from ..class_codemod import MODULE
from ..codemods.add_decorator import AddDecorator
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
For every sensor and step, DepthTo3DLocations computed where the pixels are in an image;
surface normals and curvatures computed twice how far each pixel is from the center, and
weights for these distances. All of this depends on the shape of the image only. It is
now kept, for 16 shapes.

To check: that nobody writes into what `weight_matrix` and `pixel_dist_to_center`
return. They raise numpy's error now."""

_MODULE = "tbp.monty.frameworks.utils.pixel_arrays"
_ONCE = "computed_once"


def _once(function: str) -> Rewrite:
    return Rewrite(
        "frameworks/utils/sensor_processing.py",
        AddDecorator(
            class_name=MODULE,
            method=function,
            decorator=_ONCE,
            imports=(NeededImport(_MODULE, _ONCE),),
        ),
    )


STEP = Step(
    title="perf: compute once what depends on the shape of an image only",
    part="perf",
    body=_BODY,
    rewrites=(
        _once("weight_matrix"),
        _once("pixel_dist_to_center"),
        Rewrite(
            "frameworks/environment_utils/transforms.py",
            ReplaceStatements(
                class_name="DepthTo3DLocations",
                method="call",
                first="x, y = np.meshgrid(",
                by="x, y = pixel_grid(self.h[i], self.w[i])\n",
                imports=(NeededImport(_MODULE, "pixel_grid"),),
            ),
        ),
    ),
    overlay=("frameworks/utils/pixel_arrays.py",),
    tests=("frameworks/utils/pixel_arrays_test.py",),
)
