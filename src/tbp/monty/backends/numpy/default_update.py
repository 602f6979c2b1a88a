# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The update of a `DefaultHypothesesUpdater`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping

import numpy as np

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.numpy.graph_update import GraphUpdate, joined
from tbp.monty.backends.numpy.numbers import check_hypotheses
from tbp.monty.backends.numpy.thresholds import update_threshold

__all__ = ["default_update"]


def default_update(
    update: GraphUpdate,
) -> tuple[HypothesisRows, Mapping[str, Any]]:
    """Update the hypotheses of a graph, and add some for new input channels.

    Args:
        update: What to update.

    Returns:
        The hypotheses, and telemetry.
    """
    existing, of_lm = update.existing, update.of_lm
    known = of_lm.initialized_channels.get(update.graph_id, set())
    telemetry: dict[str, Any] = {}
    if len(existing) == 0:
        hypotheses = joined([_all_new(update, channel) for channel in update.nodes])
    else:
        threshold = update_threshold(
            of_lm.evidence_threshold_config,
            of_lm.x_percent_threshold,
            of_lm.most_likely_evidence,
            existing.evidence,
        )
        hypotheses, error = update.updated(existing, threshold)
        telemetry["mlh_prediction_error"] = error
        late = [channel for channel in update.nodes if channel not in known]
        if late:
            # With less than the mean, new hypotheses could never catch up.
            mean = np.mean(hypotheses.evidence)
            new = [_all_new(update, channel) for channel in late]
            new = [replace(one, evidence=one.evidence + mean) for one in new]
            hypotheses = joined([hypotheses, *new])
    check_hypotheses(hypotheses)
    return hypotheses, telemetry


def _all_new(update: GraphUpdate, channel: str) -> HypothesisRows:
    nodes = update.nodes[channel]
    return update.new_hypotheses(channel, np.arange(len(nodes.locations)))
