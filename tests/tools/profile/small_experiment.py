# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""An experiment of a few lines with a real Monty, for tests that record it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from monty_tools.profile.folder import new_folder
from monty_tools.profile.recorder import Recorder
from monty_tools.profile.schema import Profile, read_profile
from tbp.monty.frameworks.experiments.mode import ExperimentMode
from tests.synthetic_monty import AGENT, SyntheticRun

__all__ = ["SmallExperiment", "profile_of"]


def profile_of(experiment: SmallExperiment, folder: Path) -> Profile:
    """Run an experiment, and return its profile."""
    recorder = Recorder(new_folder(folder), ["experiment=small", "seed=1"], experiment)
    try:
        experiment.setup_experiment({})
        experiment.run()
    finally:
        recorder.close()
    return read_profile(folder)


class SmallExperiment:
    """Has the methods of upstream's experiment that are recorded."""

    def __init__(
        self, synthetic: SyntheticRun, backend: Any = None, episodes: int = 2
    ) -> None:
        self._synthetic = synthetic
        self._backend = backend
        self._episodes = episodes
        self.experiment_mode = ExperimentMode.EVAL

    def setup_experiment(self, config: Any) -> None:  # noqa: ARG002
        self._create_monty()
        self.eval_env_interface = _Interface(self._synthetic)
        self.logger_handler = _Loggers()

    def _create_monty(self) -> None:
        self.model = self._synthetic.make(self._backend)

    def run(self) -> None:
        self.env_interface = self.eval_env_interface
        for _ in range(self._episodes):
            self.run_episode()

    def run_episode(self) -> None:
        self._restore_monty()
        self.logger_handler.pre_episode()
        for step in range(self._synthetic.steps):
            self.run_step(self._context, step, [])
        self.post_episode(self._synthetic.steps)

    def _restore_monty(self) -> None:
        self._context = self._synthetic.begin(self.model)

    def run_step(self, ctx: Any, step: int, actions: Any) -> Any:
        observations, state = self.env_interface.step(step)
        self.model.step(ctx, observations, state)
        return actions

    def post_episode(self, steps: int) -> None:  # noqa: ARG002
        self.logger_handler.post_episode()


class _Interface:
    def __init__(self, synthetic: SyntheticRun) -> None:
        self._synthetic = synthetic
        self.primary_target = {"object": synthetic.scenario.target}

    def step(self, number: int) -> tuple[Any, Any]:
        return {AGENT: self._synthetic.reports(number)}, {AGENT: None}


class _Loggers:
    def pre_episode(self) -> None:
        pass

    def post_episode(self) -> None:
        pass
