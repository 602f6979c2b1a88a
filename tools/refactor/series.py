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

from itertools import chain
from typing import Mapping

from .step import Step
from .steps import (
    add_votes,
    array_goals,
    array_votes,
    ask_backend,
    choose_backend,
    depth_range,
    describe_updates,
    dispatch_all,
    dispatch_evidence_update,
    dispatch_votes,
    honour_overrides,
    import_libraries,
    inherit_matching_step,
    lazy_logging,
    lm_groups,
    node_features,
    numpy_backend,
    numpy_evidence,
    numpy_hypotheses,
    object_coverage,
    pixel_arrays,
    plain_settings,
    read_converted_models,
    remember_rotations,
    resampling_name,
    resident_hypotheses,
    share_backend,
    split_stepping,
    two_phases,
    unpickle_models,
    wait_to_displace,
)

__all__ = ["ALL", "PARTS", "SERIES", "steps_through"]

ALL = "all"
"""The name for all parts."""

PARTS: Mapping[str, tuple[Step, ...]] = {
    "core": (
        # The backend must exist before it gets work.
        share_backend.STEP,
        # Groups first, so that the runtime method gets its final signature at once.
        lm_groups.STEP,
        # Separates experiment and runtime: only the runtime is stepped in two phases.
        split_stepping.STEP,
        # One matching step to split, not two.
        inherit_matching_step.STEP,
        # Halves come before their callers; each commit steps as before.
        two_phases.STEP,
        dispatch_evidence_update.STEP,
        dispatch_all.STEP,
    ),
    "backends": (
        # Work is described before a backend reads the description.
        describe_updates.STEP,
        numpy_evidence.STEP,
        numpy_hypotheses.STEP,
        numpy_backend.STEP,
        # There is nothing to choose before there are two.
        choose_backend.STEP,
    ),
    "fork": (
        # The promise to code that builds on Monty.
        honour_overrides.STEP,
        # What the compiled backends need.
        resident_hypotheses.STEP,
        ask_backend.STEP,
        wait_to_displace.STEP,
        # Independent of all of the above; the compiled backends gain most from these.
        node_features.STEP,
        # Votes become arrays before arrays are added to evidence.
        array_votes.STEP,
        add_votes.STEP,
        dispatch_votes.STEP,
        # Files are data: pickles are refused what models do not need, and other files
        # can take their place.
        unpickle_models.STEP,
        read_converted_models.STEP,
        # Only a name; last, because nothing depends on it.
        resampling_name.STEP,
    ),
    # Each step applies without the others, in any order.
    "perf": (
        lazy_logging.STEP,
        remember_rotations.STEP,
        array_goals.STEP,
        depth_range.STEP,
        object_coverage.STEP,
        pixel_arrays.STEP,
        plain_settings.STEP,
        import_libraries.STEP,
    ),
}
"""The steps by part, in the order in which they would be proposed to upstream."""

SERIES: tuple[Step, ...] = tuple(chain.from_iterable(PARTS.values()))


def steps_through(part: str) -> tuple[Step, ...]:
    """Return the steps of a part, after those of the parts before it.

    Args:
        part: A part, or `ALL`.
    """
    if part == ALL:
        return SERIES
    parts = list(PARTS)
    return tuple(
        chain.from_iterable(PARTS[one] for one in parts[: parts.index(part) + 1])
    )
