# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A tbp.monty of a few lines with a parallel runner, and `monty run-parallel` on it.

An episode does what the name of its object says: see `single_evaluate`.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import textwrap
import time
import unittest
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from monty_tools.workers.sides import Paths
from tests.interrupts import take_interrupts
from tests.tools.small_monty import small_monty

__all__ = ["SmallParallel", "objects", "wait_until"]

RELEASE = {
    "tbp/monty/__init__.py": '__version__ = "0.0.1"',
    "tbp/monty/conf/__init__.py": "",
    "tbp/monty/conf/experiment.yaml": """
        defaults:
          - _self_
          - experiment: ??
        episodes: all
        num_parallel: 2
        print_cfg: false
        quiet_habitat_logs: true
        """,
    "tbp/monty/conf/experiment/small.yaml": """
        # @package _global_
        experiment:
          _target_: tbp.monty.hydra.Pretraining
          config:
            do_train: false
            do_eval: true
            n_eval_epochs: 1
            model_name_or_path: ""
            data: ${oc.env:MONTY_DATA}/needed
            pause: 0.0
            notes: ${oc.env:MONTY_SMALL_NOTES}
            eval_env_interface_class: ${monty.class:tbp.monty.hydra.OneObject}
            eval_env_interface_args:
              object_names: [ball, box, cup, cone]
              object_init_sampler:
                _target_: builtins.list
            train_env_interface_class: ${monty.class:tbp.monty.hydra.OneObject}
            train_env_interface_args:
              object_names: [ball, box, cup, cone]
              object_init_sampler:
                _target_: builtins.list
            logging:
              output_dir: ${oc.env:MONTY_LOGS}
              run_name: small
              monty_data_logger:
                handlers: []
        """,
    "tbp/monty/hydra.py": """
        import importlib
        import json

        from omegaconf import OmegaConf

        def named(name):
            module, _, attribute = name.rpartition(".")
            return getattr(importlib.import_module(module), attribute)

        OmegaConf.register_new_resolver("monty.class", named, replace=True)

        class OneObject:
            pass

        class Several:
            pass

        class Training:
            pass

        class Pretraining(Training):
            def __init__(self, config):
                self.model = Model()

            def __enter__(self):
                return self

            def __exit__(self, *_):
                pass

        class Model:
            def load_state_dict_from_parallel(self, folders):
                self.parts = [(one / "model.pt").read_text() for one in folders]

            def state_dict(self):
                return self.parts

        def instantiate_experiment(config):
            return Pretraining(config)
        """,
    "tbp/monty/experiment/environment.py": """
        from tbp.monty.hydra import OneObject as OneObjectPerEpisodeInterface
        """,
    "tbp/monty/frameworks/experiments/pretraining_experiments.py": """
        from tbp.monty.hydra import (
            Pretraining as MontySupervisedObjectPretrainingExperiment
        )
        """,
    "tbp/monty/frameworks/experiments/monty_experiment.py": """
        def read_model(path):
            raise NotImplementedError

        class MontyExperiment:
            def save_state_dir(self, output_dir=None):
                raise OSError("a model that nothing keeps was written")
        """,
    "tbp/monty/frameworks/run_env.py": """
        import os

        def setup_env():
            os.environ.setdefault("MONTY_LOGS", "/nowhere")
        """,
    "tbp/monty/frameworks/run_parallel.py": """
        import json
        import os
        import signal
        import time
        from pathlib import Path

        from omegaconf import OmegaConf

        from tbp.monty.frameworks.experiments.monty_experiment import MontyExperiment

        def generate_parallel_eval_configs(experiment, name):
            return generate(experiment, name, "eval")

        def generate_parallel_train_configs(experiment, name):
            return generate(experiment, name, "train")

        def generate(experiment, name, mode):
            configs = []
            names = experiment.config[f"{mode}_env_interface_args"].object_names
            for number, one in enumerate(names):
                config = OmegaConf.to_object(experiment)
                config["config"].update(number=number, object=one)
                logging = config["config"]["logging"]
                logging["run_name"] = f"{name}-{mode}-{number}-{one}"
                logging["output_dir"] += f"/{name}/{logging['run_name']}"
                configs.append(config)
            return configs

        def filter_episode_configs(configs, spec):
            if spec == "all":
                return configs
            try:
                first, last = map(int, spec.split(":"))
            except ValueError:
                raise ValueError(f"{spec} is not a valid selection.") from None
            return configs[first:last]

        def single_train(config):
            folder = run(config) / "pretrained"
            folder.mkdir()
            (folder / "model.pt").write_text(config["config"]["object"])

        def single_evaluate(config):
            run(config)
            MontyExperiment().save_state_dir()

        def run(experiment):
            config = experiment["config"]
            number, name = config["number"], config["object"]
            folder = Path(config["logging"]["output_dir"])
            with (folder / "log.txt").open("w") as log:
                log.write(f"episode {number} begins in {folder}\\n")
            print(f"episode {number} was printed", flush=True)
            notes = Path(config["notes"])
            with (notes / "runs").open("a") as runs:
                runs.write(json.dumps({"number": number, "pid": os.getpid()}) + "\\n")
            what, _, once = name.partition("_")
            mark = notes / name
            if once and mark.exists():
                what = ""
            mark.touch()
            if what == "dies":
                os.kill(os.getpid(), signal.SIGKILL)
            if what == "hangs":
                time.sleep(3600)
            if what == "raises":
                raise LookupError(f"{name} is nowhere")
            if what.startswith("gpu"):
                import cupy

                total = cupy.cuda.runtime.memGetInfo()[1]
                taken = cupy.ones(int(total * float(what[3:]) / 100), cupy.uint8)
                number = int(taken[: number + 1].sum()) - 1
            time.sleep(config["pause"])
            (folder / "eval_stats.csv").write_text(f"number,name\\n{number},{name}\\n")
            size = 100_000 if what == "large" else 1
            detailed = json.dumps({number: "." * size})
            (folder / "detailed_run_stats.json").write_text(detailed + "\\n")
            return folder
        """,
}


class SmallParallel(unittest.TestCase):
    """Runs `monty run-parallel experiment=small` in a process of its own."""

    def setUp(self) -> None:
        take_interrupts(self)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.root = self.folder / "root"
        for name, text in RELEASE.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        self.data = self.folder / "data"
        (self.data / "needed").mkdir(parents=True)
        self.notes = self.folder / "notes"
        self.notes.mkdir()
        self.results = self.folder / "logs" / "small"
        path = os.pathsep.join([str(self.root), os.environ.get("PYTHONPATH", "")])
        self.env = {
            **os.environ,
            "PYTHONPATH": path.strip(os.pathsep),
            "MONTY_LOGS": str(self.folder / "logs"),
            "MONTY_MODELS": str(self.folder / "models"),
            "MONTY_DATA": str(self.data),
            "MONTY_SMALL_NOTES": str(self.notes),
        }

    def start(self, *words: str) -> subprocess.Popen:
        """Start the command."""
        paths = Paths(None, self.root, None)
        command = [*small_monty("run-parallel", paths), "experiment=small", *words]
        process = subprocess.Popen(
            command,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(_end, process)
        return process

    def run_small(self, *words: str) -> subprocess.CompletedProcess:
        """Run the command to its end."""
        process = self.start(*words)
        out, err = process.communicate(timeout=600)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def runs(self) -> list[dict[str, int]]:
        """Return which episodes were begun, and in which processes."""
        notes = self.notes / "runs"
        lines = notes.read_text().splitlines() if notes.exists() else []
        return [json.loads(line) for line in lines]

    def numbers_in(self, name: str = "eval_stats.csv") -> list[int]:
        """Return the episodes in a file of the results, in order."""
        lines = (self.results / name).read_text().splitlines()
        if name.endswith(".json"):
            return [int(next(iter(json.loads(line)))) for line in lines]
        return [int(line.partition(",")[0]) for line in lines[1:]]


def objects(names: Sequence[str]) -> str:
    """Return the override that sets the objects of the episodes."""
    return f"experiment.config.eval_env_interface_args.object_names=[{','.join(names)}]"


def wait_until(holds: Callable[[], Any], seconds: float = 300) -> None:
    """Wait for something to happen in other processes."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"it did not happen within {seconds} s")
        time.sleep(0.1)


def _end(process: subprocess.Popen) -> None:
    if process.poll() is None:
        process.kill()
        print(*process.communicate())  # for the report of a test that failed
