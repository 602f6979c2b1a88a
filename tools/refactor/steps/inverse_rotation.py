# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""One rotation is inverted by changing signs."""

from __future__ import annotations

from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
A learning module inverts a rotation whenever it sends out another pose, and four times
for each goal. scipy takes 17 us for one, though since scipy 1.14 it only changes the
signs of three numbers. With the methods by which a rotation is pickled, that takes
5.5 us.

To check: that a rotation that holds several, or another library's array, is still
inverted by scipy."""

_NAME = "inverse_rotation"

STEP = Step(
    title="perf: invert one rotation by changing signs",
    body=_BODY,
    rewrites=(
        Rewrite(
            "geometry.py",
            ReplaceCall,
            dict(
                class_name="Rotation",
                method="inv",
                function="self._rot.inv",
                by=_NAME,
                first="self._rot",
                imports=(NeededImport(f"tbp.monty.frameworks.utils.{_NAME}", _NAME),),
            ),
        ),
    ),
    overlay=(f"frameworks/utils/{_NAME}.py",),
    tests=(f"frameworks/utils/{_NAME}_test.py",),
)
