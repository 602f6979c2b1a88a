# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Words without which a file has nothing to migrate."""

from __future__ import annotations

import re

__all__ = ["may_concern"]

_WORDS = (
    "matching_step",
    "exploratory_step",
    "_compute_possible_matches",
    "_update_possible_matches",
    "_update_evidence",
    "_step_learning_modules",
    "_set_stepwise_targets",
    "pre_step",
    "post_step",
    "update_hypotheses",
    "displace_hypotheses_and_compute_evidence",
    "ResamplingHypothesesUpdater",
    "resampling_hypotheses_updater",
    "hypotheses_count_multiplier",
    "hypotheses_existing_to_new_ratio",
)
_PATTERN = re.compile("|".join(_WORDS))


def may_concern(text: str) -> bool:
    """Return whether a text has one of the names that the rules look for."""
    return _PATTERN.search(text) is not None
