# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The series: every change to upstream, in order, with the reason for its place."""

from __future__ import annotations

from .step import Step
from .steps import lm_groups, split_stepping

__all__ = ["SERIES"]

SERIES: tuple[Step, ...] = (
    # Groups come first, so that the runtime method has its final signature at once.
    lm_groups.STEP,
    # Experiment apart from runtime: what is stepped later in two phases is only here.
    split_stepping.STEP,
)
