# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A tbp.monty of a few lines, for tests that run it in processes of their own."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

if TYPE_CHECKING:
    import unittest

__all__ = ["fork_first_on_path", "write_release"]

RELEASE = {
    "tbp/monty/__init__.py": '__version__ = "0.0.1"',
    "tbp/monty/conf/__init__.py": "",
    "tbp/monty/conf/experiment.yaml": """
        defaults:
          - _self_
          - experiment: ??
        """,
    "tbp/monty/conf/experiment/small.yaml": """
        # @package _global_
        experiment:
          config:
            gain: 0.5
            raises_at: -1
            pause: 0.0
            tell_in: ""
            environment:
              env_init_func: ${monty.class:tbp.monty.simulators.Room}
              env_init_args:
                size: 3
            logging:
              output_dir: ""
              python_log_to_stderr: true
        """,
    "tbp/monty/simulators.py": """
        import numpy as np

        class Room:
            def __init__(self, size):
                self.place = np.zeros(size)

            def reset(self):
                self.place[:] = 0
                return self.place

            def step(self, actions):
                self.place += actions
                return self.place

            def close(self):
                pass
        """,
    "tbp/monty/experiment/environment.py": """
        class OneObjectPerEpisodeInterface:
            object_names = ("ball", "ball", "ball")
            primary_target = {"object": "ball"}

            def post_episode(self):
                pass

        class SaccadeOnImageInterface:
            pass

        class SaccadeOnImageFromStreamInterface:
            pass
        """,
    "tbp/monty/frameworks/run_parallel.py": """
        def parse_episode_spec(spec, total):
            first, colon, last = spec.partition(":")
            first = int(first or 0)
            last = int(last or total) if colon else first + 1
            if last > total:
                raise ValueError(f"there is no {last - 1}")
            return [*range(first, last)]
        """,
    "tbp/monty/hydra.py": """
        import importlib
        import os
        import sys
        import time
        from pathlib import Path
        from types import SimpleNamespace

        import numpy as np
        from omegaconf import OmegaConf

        from tbp.monty.experiment.environment import OneObjectPerEpisodeInterface

        FAINT = 2.0
        HYPOTHESES = 2
        FACTOR = 1.0

        def named(name):
            module, _, attribute = name.rpartition(".")
            return getattr(importlib.import_module(module), attribute)

        OmegaConf.register_new_resolver("monty.class", named, replace=True)

        def instantiate_experiment(cfg):
            return Experiment(cfg.config)

        class Module:
            def __init__(self, name):
                self.learning_module_id = name
                self.terminal_state = None
                self.possible_matches = {"ball", "box"}
                self.detected_object = None
                self.current_mlh = {"graph_id": "ball", "evidence": 0.0}
                self._hypotheses = {"ball": SimpleNamespace(), "box": SimpleNamespace()}
                self.set_evidence(0.0)

            def set_evidence(self, evidence):
                self.current_mlh["evidence"] = evidence
                for hypotheses in self._hypotheses.values():
                    apart = np.resize([FAINT, 0.0], HYPOTHESES)
                    hypotheses.evidence = evidence - apart
                    hypotheses.possible = hypotheses.evidence > 0

            def state_dict(self):
                return {"evidence": self.current_mlh["evidence"]}

        class Model:
            step_type = "matching_step"

            def __init__(self):
                self.learning_modules = [Module("LM_0"), Module("LM_1")]

            def step(self):
                pass

        class Hook:
            def __call__(self, ctx, monty, supervised, step, observations, actions):
                return actions

            def close(self):
                pass

        class Experiment:
            do_train, do_eval = False, True
            n_eval_epochs = 1

            def __init__(self, config):
                self.config = config
                self._step_hook = Hook()
                self.model = Model()
                self.env_interface = OneObjectPerEpisodeInterface()
                self.eval_env_interface = self.env_interface
                self.experiment_mode = SimpleNamespace(name="EVAL")
                self.eval_episodes = 0

            def init_env(self, env_init_func, env_init_args):
                self.env = env_init_func(**env_init_args)

            def __enter__(self):
                if os.environ.get("MONTY_BACKEND") == "broken":
                    raise OSError("no such device")
                environment = self.config.environment
                self.init_env(environment.env_init_func, environment.env_init_args)
                return self

            def __exit__(self, *_):
                self.env.close()

            def get_epoch_state(self):
                return self.experiment_mode, 0, self.eval_episodes

            def post_episode(self, steps):
                self.eval_episodes += 1

            def run(self):
                for _ in self.env_interface.object_names:
                    self.run_episode()

            def run_episode(self):
                self.episode = self.eval_episodes
                rng = np.random.RandomState(self.episode)
                place, actions = self.env.reset(), [0.0]
                if self.config.tell_in:
                    Path(self.config.tell_in, str(os.getpid())).touch()
                for step in range(4):
                    time.sleep(self.config.pause)
                    place = self.env.step(actions)
                    if 4 * self.episode + step == self.config.raises_at:
                        raise LookupError(f"lost at {place[0]} by {object()}")
                    if self.config.get("hungry"):
                        bytearray(1 << 60)
                    if self.config.get("unknown"):
                        self.model.learning_modules[0].terminal_state = object()
                    self.model.step()
                    gain = self.config.gain * (FACTOR if self.episode else 1.0)
                    lm = self.model.learning_modules[1]
                    lm.set_evidence(lm.current_mlh["evidence"] + gain)
                    actions = [gain * rng.normal()]
                    ctx = SimpleNamespace(rng=rng)
                    actions = self._step_hook(ctx, self.model, [], step, place, actions)
                self.post_episode(4)
        """,
}


def write_release(root: Path, factor: str = "FACTOR = 1.0") -> None:
    for name, text in RELEASE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).replace("FACTOR = 1.0", factor))


def fork_first_on_path(test: unittest.TestCase, fork: Path) -> None:
    """Let the fork's processes import Monty from a folder until a test ends."""
    path = os.pathsep.join([str(fork), os.environ.get("PYTHONPATH", "")])
    patch = mock.patch.dict(os.environ, {"PYTHONPATH": path.strip(os.pathsep)})
    patch.start()
    test.addCleanup(patch.stop)
