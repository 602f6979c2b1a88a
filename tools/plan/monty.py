# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The learning modules of a Monty, as they are planned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.frameworks.models.evidence_matching.resident_work import resident_work

from .lms import PlannedLM
from .planned import Planned

__all__ = ["planned_monty"]


def planned_monty(monty: Any, title: str, *, is_configured: bool = False) -> Planned:
    """Return the learning modules of a Monty.

    Args:
        monty: The Monty.
        title: What it is.
        is_configured: Whether its groups are set in the config.
    """
    lms: dict[int, PlannedLM] = {}
    others = []
    for i, lm in enumerate(monty.learning_modules):
        if isinstance(lm, EvidenceGraphLM):
            lms[i] = _planned_lm(lm, _voters(monty, i))
        else:
            others.append((str(lm.learning_module_id), type(lm).__name__))
    place = {index: place for place, index in enumerate(lms)}
    groups = [[i for i in group if i in lms] for group in monty.lm_groups]
    groups = [group for group in groups if group]
    return Planned(
        title=title,
        lms=list(lms.values()),
        groups=[tuple(place[i] for i in group) for group in groups],
        why=[
            "set in the config"
            if is_configured
            else _in_common(monty.learning_modules[group[0]], len(group))
            for group in groups
        ],
        others=others,
    )


def _planned_lm(lm: EvidenceGraphLM, voters: int) -> PlannedLM:
    work = resident_work(lm, {}, None)
    state: Any = work.state
    updater = lm.hypotheses_updater
    return PlannedLM(
        lm_id=str(lm.learning_module_id),
        kind=f"{type(lm).__name__}, {type(updater).__name__}",
        graph_ids=list(work.graph_ids),
        memory=state,
        updater=work.updater,
        sensed=_sensed(lm, work.graph_ids),
        voters=voters,
        burst_steps=getattr(updater, "sampling_burst_duration", 0),
        evidence_threshold_config=state.evidence_threshold_config,
        x_percent_threshold=state.x_percent_threshold,
    )


def _sensed(lm: Any, graph_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return a value for each feature that the graphs have, by input channel."""
    sensed: dict[str, dict[str, Any]] = {}
    for graph_id in graph_ids:
        for channel in lm.graph_memory.get_input_channels_in_graph(graph_id):
            mapping = lm.graph_memory.get_graph(graph_id, channel).feature_mapping
            for name, (start, end) in mapping.items():
                sensed.setdefault(channel, {})[name] = np.zeros(end - start)
    return sensed


def _voters(monty: Any, index: int) -> int:
    votes = getattr(monty, "lm_to_lm_vote_matrix", None)
    return len(votes[index]) if votes else 0


def _in_common(lm: Any, size: int) -> str:
    """Return why a group is one, from what decides it: `computes_with`."""
    parts = lm.computes_with()
    names = [
        getattr(one, "__name__", str(one))
        for one in (parts if isinstance(parts, tuple) else [parts])
    ]
    which = "all compute" if size > 1 else "the only one that computes"
    return f"{which} with {', '.join(names)}"
