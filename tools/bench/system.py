# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A Monty of the imported tbp.monty, with the memories of a scenario."""

from __future__ import annotations

import importlib.util
from typing import Any, Sequence

import numpy as np

from tbp.monty.cmp import Message
from tbp.monty.context import RuntimeContext
from tbp.monty.frameworks.environments.environment import SemanticID
from tbp.monty.frameworks.experiments.mode import ExperimentMode
from tbp.monty.frameworks.models.abstract_monty_classes import Observations
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.frameworks.models.evidence_matching.model import (
    MontyForEvidenceGraphMatching,
)
from tbp.monty.frameworks.models.goal_generation import EvidenceGoalGenerator
from tbp.monty.frameworks.models.motor_system_state import ProprioceptiveState
from tbp.monty.frameworks.models.object_model import GraphObjectModel
from tbp.monty.frameworks.utils.graph_matching_utils import get_scaled_evidences
from tbp.monty.frameworks.utils.object_model_utils import NumpyGraph
from tbp.monty.geometry import SurfacePoseVectors

from .ellipsoid import Observed
from .scenario import FEATURES, Graph, Scenario
from .settings import Settings

__all__ = ["System", "message_of", "stored_models"]

UPDATERS = {
    "default": DefaultHypothesesUpdater,
    "burst_sampling": BurstSamplingHypothesesUpdater,
}
SEMANTIC_ID = SemanticID(1)


class System:
    """A Monty and the percepts of an episode."""

    def __init__(self, settings: Settings, scenario: Scenario) -> None:
        """Make the Monty and load its memory, as for a pretrained model."""
        self._scenario = scenario
        channels = [f"patch_{i}" for i in range(settings.lms)]
        lms = [_learning_module(channel, settings) for channel in channels]
        for i, lm in enumerate(lms):
            lm.learning_module_id = f"learning_module_{i}"
        self.monty = MontyForEvidenceGraphMatching(
            sensor_modules=[],
            learning_modules=lms,
            motor_system=_NoMotorSystem(),
            sm_to_agent_dict={},
            sm_to_lm_matrix=[[i] for i in range(settings.lms)],
            lm_to_lm_matrix=None,
            lm_to_lm_vote_matrix=_everybody_else(settings),
            min_eval_steps=settings.steps,
            min_train_steps=settings.steps,
            num_exploratory_steps=settings.steps,
            **_groups(settings),
        )
        self.monty.set_experiment_mode(ExperimentMode.EVAL)
        self.monty.load_state_dict(
            {
                "lm_dict": {
                    i: _memory(graphs, channel)
                    for i, (graphs, channel) in enumerate(
                        zip(scenario.graphs, channels, strict=True)
                    )
                }
            }
        )
        self._channels = channels
        self._steps = settings.steps
        self._votes = settings.votes

    def reset(self) -> None:
        """Forget the last episode."""
        self.monty.reset()
        self.monty.fixme_set_ground_truth(
            primary_target={
                "object": self._scenario.target,
                "quat_rotation": np.array([1.0, 0.0, 0.0, 0.0]),
            },
            semantic_id_to_label={SEMANTIC_ID: self._scenario.target},
        )
        self.context = RuntimeContext(rng=np.random.RandomState(0))

    def step(self, inputs: Sequence[Message | None]) -> None:
        """Step the learning modules as a run does.

        Before the step they are asked for their outputs, and after it for their goals.
        """
        self.monty.aggregate_sensory_inputs(
            self.context, Observations(), ProprioceptiveState()
        )
        self.monty.sensor_module_outputs = list(inputs)
        self.monty._step_learning_modules(self.context)
        self.monty._pass_goals()

    def choose_votes(self) -> int:
        """Let learning modules send about as many votes as the settings say.

        Returns:
            How many votes all of them will send; 0 if they do not vote.
        """
        if self._votes is None:
            return 0
        sent = 0
        lms: Sequence[Any] = self.monty.learning_modules
        for lm in lms:
            evidences = {name: one.evidence for name, one in lm._hypotheses.items()}
            scaled = np.concatenate(list(get_scaled_evidences(evidences).values()))
            usable = np.sort(scaled[scaled > 0])[::-1]
            if not len(usable):
                lm.vote_evidence_threshold = 1.0  # nothing is above it
                continue
            count = min(self._votes, len(usable))
            # Of hypotheses with the same evidence all vote: rounding must not decide.
            while count < len(usable) and usable[count - 1] - usable[count] < 1e-9:
                count += 1
            least = usable[count] if count < len(usable) else 0.0
            lm.vote_evidence_threshold = (usable[count - 1] + least) / 2
            sent += count
        return sent

    def vote(self) -> None:
        """Let the learning modules vote."""
        self.monty._vote()

    def inputs(self) -> list[list[Message]]:
        """Return what the sensors report on each step of one episode.

        Learning modules write into their inputs, so each episode needs its own.
        """
        return [
            [
                message_of(percepts, step, channel)
                for percepts, channel in zip(
                    self._scenario.percepts, self._channels, strict=True
                )
            ]
            for step in range(self._steps)
        ]


class _NoMotorSystem:
    """Nothing moves: the percepts are there already."""

    def reset(self) -> None:
        pass


def _everybody_else(settings: Settings) -> list[list[int]] | None:
    if settings.votes is None:
        return None
    return [[j for j in range(settings.lms) if j != i] for i in range(settings.lms)]


def _groups(settings: Settings) -> dict[str, Any]:
    # Upstream's Monty has no groups.
    is_fork = importlib.util.find_spec("tbp.monty.backends") is not None
    return {"lm_groups": settings.groups} if is_fork else {}


def _learning_module(channel: str, settings: Settings) -> EvidenceGraphLM:
    # The values of upstream's benchmark configs.
    return EvidenceGraphLM(
        max_match_distance=0.01,
        tolerances={
            channel: {
                "hsv": np.array([0.1, 0.2, 0.2]),
                "principal_curvatures_log": np.ones(2),
            }
        },
        feature_weights={
            channel: {
                "hsv": np.array([1, 0.5, 0.5]),
                "principal_curvatures_log": np.ones(2),
            }
        },
        x_percent_threshold=20,
        max_graph_size=0.3,
        max_nodes_per_graph=settings.nodes[1],
        num_model_voxels_per_dim=100,
        use_multithreading=settings.threads != 1,
        gsg=EvidenceGoalGenerator(
            goal_tolerances={"location": 0.015}, min_post_goal_success_steps=5
        ),
        hypotheses_updater_class=UPDATERS[settings.updater],
        hypotheses_updater_args={"max_nneighbors": settings.neighbors},
    )


def stored_models(graphs: dict[str, Graph], channel: str) -> dict[str, Any]:
    """Return models of objects for a channel, as a pretrained model has them."""
    known = {}
    for name, graph in graphs.items():
        model = GraphObjectModel(name)
        # Upstream wraps a model without voxels into the class that it matches with,
        # and keeps the nodes. Filling voxels would take seconds per model.
        model.set_graph(
            NumpyGraph(
                {
                    "x": graph.x,
                    "pos": graph.pos,
                    "feature_mapping": {k: list(v) for k, v in FEATURES.items()},
                }
            )
        )
        known[name] = {channel: model}
    return known


def _memory(graphs: dict[str, Graph], channel: str) -> dict[str, Any]:
    known = stored_models(graphs, channel)
    return {
        "graph_memory": known,
        "target_to_graph_id": {name: {name} for name in known},
        "graph_id_to_target": {name: {name} for name in known},
    }


def message_of(percepts: Observed, step: int, channel: str) -> Message:
    """Return what a sensor reports on a step to an input channel."""
    message = Message(
        location=percepts.locations[step].copy(),
        morphological_features={
            "pose_vectors": SurfacePoseVectors(percepts.pose_vectors[step].copy()),
            "pose_fully_defined": bool(percepts.pose_fully_defined[step]),
            "on_object": 1.0,
        },
        non_morphological_features={
            "hsv": percepts.hsv[step].copy(),
            "principal_curvatures_log": percepts.principal_curvatures_log[step].copy(),
        },
        confidence=1.0,
        pass_message=True,
        process_features_in_lm=True,
        sender_id=channel,
        sender_type="SM",
    )
    # Set as sensor modules set it; `Message` does not declare it.
    message._semantic_id = SEMANTIC_ID  # type: ignore[attr-defined]
    return message
