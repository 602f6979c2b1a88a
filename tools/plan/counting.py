# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs steps of a Monty on `null`, and tells what `cuda` would ask of a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tbp.monty.cmp import Message
from tbp.monty.context import RuntimeContext
from tbp.monty.frameworks.experiments.mode import ExperimentMode
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.geometry import SurfacePoseVectors

__all__ = ["Counted", "count", "demand_of", "groups_of"]

DISPLACEMENT = 1e-3
MORPHOLOGICAL = {"pose_vectors", "pose_fully_defined", "on_object"}
NO_TARGET = {"object": "none", "quat_rotation": np.array([1.0, 0.0, 0.0, 0.0])}


@dataclass(frozen=True)
class Counted:
    """What a step asked for.

    Attributes:
        hypotheses: How many there are after it.
        launches: How many kernels were launched.
        sent: How many bytes were sent.
        returned: How many bytes came back.
        memory: The bytes held after it, by their use.
        peak: The most bytes held up to its end.
    """

    hypotheses: int
    launches: int
    sent: int
    returned: int
    memory: Mapping[str, int]
    peak: int


def demand_of(monty: Any) -> dict[str, Counted]:
    """Returns what steps of a Monty ask for, by their kind.

    The last kind has the most hypotheses: nothing that is sensed has a direction.
    """
    burst = max(map(_burst_steps, monty.learning_modules), default=0)
    steps = max(burst, 1) + 1
    usual = count(monty, steps=steps)
    found = {"first step": usual[0]}
    if burst > 1:
        found["step of a burst"] = usual[1]
    found["later step"] = usual[-1]
    most = count(monty, steps=steps, has_direction=False)[-1]
    if most.hypotheses > usual[-1].hypotheses:
        found["at most"] = most
    return found


def count(monty: Any, *, steps: int, has_direction: bool = True) -> list[Counted]:
    """Runs an episode, and returns what each of its steps asked for.

    Args:
        monty: A Monty with the backend `null`.
        steps: How many steps to run.
        has_direction: Whether what is sensed has one.
    """
    monty.set_experiment_mode(ExperimentMode.EVAL)
    monty.reset()
    monty.fixme_set_ground_truth(NO_TARGET, {})
    context = RuntimeContext(rng=np.random.RandomState(0))
    groups = groups_of(monty)
    sensed = [_features(lm) for lm in monty.learning_modules]
    null = monty.backend.backend
    counted = []
    for step in range(steps):
        before = _traffic(null)
        location = np.array([step * DISPLACEMENT, 0.0, 0.0])
        inputs = [
            [
                _message(name, of, location, has_direction)
                for name, of in by_name.items()
            ]
            for by_name in sensed
        ]
        monty.step_learning_modules(context, groups, inputs)
        monty._note_processed_inputs(inputs)
        monty._vote()
        after = _traffic(null)
        launches, sent, returned = (a - b for a, b in zip(after, before, strict=True))
        memory = dict(null.memory)
        peak = sum(stream.peak for stream in null.streams)
        # Only now: looking at hypotheses is traffic, too.
        hypotheses = sum(
            _hypotheses(monty.learning_modules[i]) for group in groups for i in group
        )
        counted.append(Counted(hypotheses, launches, sent, returned, memory, peak))
    return counted


def groups_of(monty: Any) -> list[tuple[int, ...]]:
    """Returns the groups of the learning modules that have a backend."""
    lms = monty.learning_modules
    groups = (
        tuple(i for i in group if isinstance(lms[i], EvidenceGraphLM))
        for group in monty.lm_groups
    )
    return [group for group in groups if group]


def _burst_steps(lm: Any) -> int:
    updater = getattr(lm, "hypotheses_updater", None)
    return getattr(updater, "sampling_burst_duration", 0)


def _hypotheses(lm: EvidenceGraphLM) -> int:
    return sum(len(one.evidence) for one in lm._hypotheses.values())


def _traffic(null: Any) -> tuple[int, int, int]:
    """Returns the kernels that were launched, and the bytes sent and returned."""
    streams = null.streams
    return (
        sum(sum(stream.launched.values()) for stream in streams),
        sum(stream.moved.to_device for stream in streams),
        sum(stream.moved.from_device for stream in streams),
    )


def _features(lm: Any) -> dict[str, dict[str, Any]]:
    """Returns a value for each feature that the graphs have, by input channel."""
    sensed: dict[str, dict[str, Any]] = {}
    memory = lm.graph_memory
    for graph_id in lm.get_all_known_object_ids():
        for channel in memory.get_input_channels_in_graph(graph_id):
            mapping = memory.get_graph(graph_id, channel).feature_mapping
            for name in mapping.keys() - MORPHOLOGICAL:
                start, end = mapping[name]
                sensed.setdefault(channel, {})[name] = np.zeros(end - start)
    return sensed


def _message(
    channel: str, features: Mapping[str, Any], location: Any, has_direction: bool
) -> Message:
    return Message(
        location=location.copy(),
        morphological_features={
            "pose_vectors": SurfacePoseVectors(np.eye(3)),
            "pose_fully_defined": has_direction,
            "on_object": 1.0,
        },
        non_morphological_features=dict(features),
        confidence=1.0,
        pass_message=True,
        process_features_in_lm=True,
        sender_id=channel,
        sender_type="SM",
    )
