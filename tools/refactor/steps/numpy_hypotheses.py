# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses from their first step to their last, in numpy."""

from __future__ import annotations

from ..step import Step

__all__ = ["STEP"]

_BODY = """\
The second of three commits that compute the evidence update in numpy. These functions
make hypotheses for what is sensed, check their numbers, and tell which of them are
tested on a step and which are deleted, by their evidence and its slope. Nothing calls
them yet.

To check: the arithmetic, against the hypotheses updaters and the slope tracker."""

_MODULES = ("new_hypotheses", "numbers", "slopes", "thresholds")

STEP = Step(
    title="feat: make, test and delete hypotheses in numpy",
    part="backends",
    after="numpy_evidence",
    body=_BODY,
    rewrites=(),
    overlay=tuple(f"backends/numpy/{module}.py" for module in _MODULES),
    tests=(
        "backends/numpy/upstream.py",
        *(f"backends/numpy/{module}_test.py" for module in _MODULES),
    ),
)
