# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses that a backend holds, as learning modules read and change them."""

from __future__ import annotations

from tbp.monty.backends.hypotheses.questions import (
    add_votes,
    displace,
    highest_slope,
    known_evidence,
    likely_hypotheses,
    most_likely,
    most_likely_graph,
    one_hypothesis,
    second_most_likely,
)
from tbp.monty.backends.hypotheses.resident import (
    ResidentHypotheses,
    ResidentTracker,
    StaleHypotheses,
)
from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.tables.likely_rows import LikelyRows
from tbp.monty.backends.tables.segments import Hypothesis

__all__ = [
    "Hypothesis",
    "LikelyRows",
    "ResidentHypotheses",
    "ResidentTracker",
    "StaleHypotheses",
    "VotesForGraph",
    "add_votes",
    "displace",
    "highest_slope",
    "known_evidence",
    "likely_hypotheses",
    "most_likely",
    "most_likely_graph",
    "one_hypothesis",
    "second_most_likely",
]
