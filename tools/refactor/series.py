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
from .steps import (
    ask_backend,
    describe_updates,
    dispatch_all,
    lazy_logging,
    lm_groups,
    remember_rotations,
    resampling_name,
    reuse_node_features,
    share_backend,
    split_stepping,
    two_phase_steps,
)

__all__ = ["SERIES"]

SERIES: tuple[Step, ...] = (
    # Groups come first, so that the runtime method has its final signature at once.
    lm_groups.STEP,
    # Experiment apart from runtime: what is stepped later in two phases is only here.
    split_stepping.STEP,
    # The backend is there before anything is handed to it.
    share_backend.STEP,
    # Work is described before it is queued.
    describe_updates.STEP,
    # Halves come before whoever calls them; each commit steps as it did before.
    two_phase_steps.STEP,
    dispatch_all.STEP,
    # What a backend knows, once there is work that it has done.
    ask_backend.STEP,
    # Apart from all of the above; the backends of the fork gain most from these.
    reuse_node_features.STEP,
    lazy_logging.STEP,
    remember_rotations.STEP,
    # A name only; last, because nothing stands on it.
    resampling_name.STEP,
)
