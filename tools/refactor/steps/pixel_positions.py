# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The positions of pixels are computed once per resolution."""

from __future__ import annotations

from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
For every sensor and step, DepthTo3DLocations computed where the pixels of an image are.
That depends on the resolution only. The positions of the last resolutions are kept, in
arrays that cannot be written to.
The transform of an image of 64 x 64 pixels takes 1.2 times less time.

To check: that only x * depth and y * depth are computed from them."""

_FOLDER = "frameworks/environment_utils"

STEP = Step(
    title="perf: compute the positions of pixels once per resolution",
    body=_BODY,
    rewrites=(
        Rewrite(
            f"{_FOLDER}/transforms.py",
            ReplaceStatements,
            dict(
                class_name="DepthTo3DLocations",
                method="call",
                first="x, y = np.meshgrid(",
                last="y = y.reshape(",
                by="x, y = pixel_positions(self.w[i], self.h[i])\n",
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.environment_utils.pixel_positions",
                        "pixel_positions",
                    ),
                ),
            ),
        ),
    ),
    overlay=(f"{_FOLDER}/pixel_positions.py",),
    tests=(f"{_FOLDER}/pixel_positions_test.py",),
)
