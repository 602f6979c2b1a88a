# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Small Montys that know synthetic objects, and what their sensors report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from monty_tools.bench.scenario import Scenario, make_scenario
from monty_tools.bench.settings import Settings
from monty_tools.bench.system import message_of, stored_models
from tbp.monty.cmp import Message
from tbp.monty.context import RuntimeContext
from tbp.monty.experiment.match_criteria import AnyLMsMatch
from tbp.monty.frameworks.experiments.mode import ExperimentMode
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

__all__ = ["AGENT", "SyntheticRun"]

AGENT = "synthetic"
UPDATERS = {
    "default": DefaultHypothesesUpdater,
    "burst_sampling": BurstSamplingHypothesesUpdater,
}


@dataclass(frozen=True)
class SyntheticRun:
    """A Monty and its episodes, both made from a seed.

    Attributes:
        updater: `default` or `burst`.
        lms: The number of learning modules.
        objects: The number of objects that each of them knows.
        channels: The number of sensors of each of them.
        neighbors: The nearest nodes that a hypothesis is compared with, at most.
        steps: The steps of an episode.
        nodes: The fewest and the most nodes of an object.
        votes: Whether the learning modules vote.
        groups: The groups of learning modules, if not as Monty forms them.
        seed: The seed of objects and percepts.
    """

    updater: str = "default"
    lms: int = 3
    objects: int = 3
    channels: int = 1
    neighbors: int = 5
    steps: int = 8
    nodes: tuple[int, int] = (60, 80)
    votes: bool = True
    groups: Sequence[Sequence[int]] | None = None
    seed: int = 0

    @cached_property
    def scenario(self) -> Scenario:
        """The objects and the percepts of each sensor."""
        return make_scenario(
            Settings(
                lms=len(self.sensors),
                objects=self.objects,
                updater=self.updater,
                steps=self.steps,
                neighbors=self.neighbors,
                seed=self.seed,
                nodes=self.nodes,
            )
        )

    @property
    def sensors(self) -> list[str]:
        return [f"patch_{i}" for i in range(self.lms * self.channels)]

    def make(self, backend: str | None = None) -> Any:
        """Return a Monty, ready for its first episode.

        Args:
            backend: The name of its backend.
        """
        others = [[j for j in range(self.lms) if j != i] for i in range(self.lms)]
        lms = [self._learning_module(i) for i in range(self.lms)]
        monty = MontyForEvidenceGraphMatching(
            sensor_modules=[StandInSensorModule(name) for name in self.sensors],
            learning_modules=lms,
            motor_system=StandInMotorSystem(),
            sm_to_agent_dict=dict.fromkeys(self.sensors, AGENT),
            sm_to_lm_matrix=[self._sensors_of(i) for i in range(self.lms)],
            lm_to_lm_matrix=None,
            lm_to_lm_vote_matrix=others if self.votes else None,
            lm_groups=self.groups,
            min_eval_steps=3,
            min_train_steps=3,
            num_exploratory_steps=10,
            backend=backend,
        )
        monty._match_criterion = AnyLMsMatch(count=self.lms)
        for i, lm in enumerate(lms):
            lm.load_state_dict(self._memory(i))
            lm.has_detailed_logger = False
        return monty

    def begin(self, monty: Any) -> RuntimeContext:
        """Begin an episode.

        Returns:
            The context of its steps.
        """
        target = self.scenario.target
        monty.reset()
        monty.set_experiment_mode(ExperimentMode.EVAL)
        monty.fixme_set_ground_truth(
            {"object": target, "quat_rotation": np.array([1.0, 0.0, 0.0, 0.0])},
            {1: target},
        )
        return RuntimeContext(rng=np.random.RandomState(self.seed))

    def step(self, monty: Any, context: RuntimeContext, step: int) -> None:
        """Run one step of an episode."""
        reports = self.reports(step)
        monty.step(context, {AGENT: reports}, {AGENT: None})

    def reports(self, step: int) -> dict[str, Message]:
        """Return what the sensors report on a step; learning modules write into it."""
        percepts = zip(self.sensors, self.scenario.percepts, strict=True)
        return {channel: message_of(seen, step, channel) for channel, seen in percepts}

    def _sensors_of(self, lm: int) -> list[int]:
        return list(range(lm * self.channels, (lm + 1) * self.channels))

    def _memory(self, lm: int) -> dict[str, Any]:
        known: dict[str, dict] = {}
        for i in self._sensors_of(lm):
            models = stored_models(self.scenario.graphs[i], self.sensors[i])
            for name, by_channel in models.items():
                known.setdefault(name, {}).update(by_channel)
        return {
            "graph_memory": known,
            "target_to_graph_id": {name: {name} for name in known},
            "graph_id_to_target": {name: {name} for name in known},
        }

    def _learning_module(self, lm: int) -> EvidenceGraphLM:
        channels = [self.sensors[i] for i in self._sensors_of(lm)]
        made = EvidenceGraphLM(
            max_match_distance=0.01,
            tolerances={
                channel: {
                    "hsv": np.array([0.1, 0.2, 0.2]),
                    "principal_curvatures_log": np.ones(2),
                }
                for channel in channels
            },
            feature_weights={
                channel: {"hsv": np.array([1, 0.5, 0.5])} for channel in channels
            },
            x_percent_threshold=20,
            # Threads would slow down so little work.
            use_multithreading=False,
            hypotheses_updater_class=UPDATERS[self.updater],
            hypotheses_updater_args={"max_nneighbors": self.neighbors},
            gsg=EvidenceGoalGenerator(
                goal_tolerances={"location": 0.015}, min_post_goal_success_steps=2
            ),
        )
        made.learning_module_id = f"learning_module_{lm}"
        return made


class StandInSensorModule:
    """Reports what it is given in place of an observation."""

    def __init__(self, sensor_module_id: str) -> None:
        self.sensor_module_id = sensor_module_id
        self.is_exploring = False
        self.processed_obs: list = []

    def reset(self) -> None:
        pass

    def update_state(self, agent: Any) -> None:
        pass

    def step(self, _ctx: Any, observation: Any, _motor_only_step: bool) -> Any:
        return observation

    def propose_goals(self) -> list:
        return []

    def propose_region(self) -> None:
        return None

    def state_dict(self) -> dict[str, Any]:
        return {}


class StandInMotorSystem:
    """Moves nothing.

    Attributes:
        motor_only_step: Whether the next step skips the learning modules.
    """

    def __init__(self) -> None:
        self.motor_only_step = False

    def __call__(self, *_: Any) -> list:
        return []

    def reset(self) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        return {}
