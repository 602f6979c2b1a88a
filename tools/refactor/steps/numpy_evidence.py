# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The evidence that a step gives hypotheses, in numpy."""

from __future__ import annotations

from ..step import Step

__all__ = ["STEP"]

_BODY = """\
The first of three commits that compute the evidence update in numpy, from its
description. These functions find the stored nodes near each hypothesis, compare sensed
features and pose vectors with theirs, and say how much evidence that is. Nothing calls
them yet.

To check: the arithmetic, against the displacer and the feature evidence scorer."""

STEP = Step(
    title="feat: compute the evidence of stored nodes in numpy",
    part="backends",
    after="describe_updates",
    body=_BODY,
    rewrites=(),
    overlay=tuple(
        f"backends/numpy/{module}.py"
        for module in ("__init__", "evidence", "features", "neighbors")
    ),
    tests=tuple(
        f"backends/numpy/{module}.py"
        for module in ("scenes", "features_test", "neighbors_test")
    ),
)
