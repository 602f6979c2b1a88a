# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs the commands, worker processes included, on a Monty of a few lines."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from unittest import mock

from monty_tools.parity.command import parity_main, record_main
from monty_tools.parity.recording import Recording
from monty_tools.parity.sides import Paths
from tests.interrupts import take_interrupts

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
    "tbp/monty/hydra.py": """
        import importlib
        import os
        import sys
        import time
        from pathlib import Path
        from types import SimpleNamespace

        import numpy as np
        from omegaconf import OmegaConf

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

            def state_dict(self):
                return {"evidence": self.current_mlh["evidence"]}

        class Hook:
            def __call__(self, ctx, monty, supervised, step, observations, actions):
                return actions

            def close(self):
                pass

        class Experiment:
            def __init__(self, config):
                self.config = config
                self._step_hook = Hook()
                self.model = SimpleNamespace(
                    learning_modules=[Module("LM_0"), Module("LM_1")],
                    step_type="matching_step",
                )
                self.env_interface = SimpleNamespace(primary_target={"object": "ball"})

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
                return SimpleNamespace(name="EVAL"), 0, self.episode

            def post_episode(self, steps):
                pass

            def run(self):
                for self.episode in range(3):
                    self.run_episode(np.random.RandomState(self.episode))
                    self.post_episode(4)

            def run_episode(self, rng):
                place, actions = self.env.reset(), [0.0]
                if self.config.tell_in:
                    Path(self.config.tell_in, str(os.getpid())).touch()
                for step in range(4):
                    time.sleep(self.config.pause)
                    place = self.env.step(actions)
                    if 4 * self.episode + step == self.config.raises_at:
                        raise LookupError(f"lost at {place[0]} by {object()}")
                    if self.config.get("unknown"):
                        self.model.learning_modules[0].terminal_state = object()
                    gain = self.config.gain * (FACTOR if self.episode else 1.0)
                    self.model.learning_modules[1].current_mlh["evidence"] += gain
                    actions = [gain * rng.normal()]
                    ctx = SimpleNamespace(rng=rng)
                    actions = self._step_hook(ctx, self.model, [], step, place, actions)
        """,
}


def write_release(root: Path, factor: str = "FACTOR = 1.0") -> None:
    for name, text in RELEASE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).replace("FACTOR = 1.0", factor))


class CommandTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        # All tests share one upstream and one cache, so that they record it only once.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.upstream = Path(folder.name) / "upstream"
        cls.cache = Path(folder.name) / "cache"
        write_release(cls.upstream)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        fork = self.folder / "fork"
        write_release(fork)
        self.paths = Paths(self.upstream, fork, self.cache)
        # The interpreter of the fork imports Monty from here.
        path = os.pathsep.join([str(fork), os.environ.get("PYTHONPATH", "")])
        patch = mock.patch.dict(os.environ, {"PYTHONPATH": path.strip(os.pathsep)})
        patch.start()
        self.addCleanup(patch.stop)

    def call(self, main, *argv: str) -> tuple[int, str, str]:
        with (
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as err,
        ):
            status = main(argv, paths=self.paths)
        return status, out.getvalue(), err.getvalue()

    def parity(self, *argv: str) -> tuple[int, str, str]:
        return self.call(parity_main, *argv)

    def test_equal_sides_are_equal_and_upstream_is_recorded_once(self) -> None:
        self.paths = dataclasses.replace(self.paths, cache=self.folder / "cache")
        status, out, err = self.parity("experiment=small")
        self.assertEqual(status, 0, err)
        self.assertIn("equal: 3 episodes, 12 steps", out)
        [recording] = self.paths.cache.glob("*.rec.zip")
        made = recording.stat().st_mtime_ns
        self.assertEqual(self.parity("experiment=small")[0], 0)
        self.assertEqual(recording.stat().st_mtime_ns, made)

    def test_a_changed_fork_is_different_and_the_place_is_named(self) -> None:
        write_release(self.paths.fork_root, "FACTOR = 1.0000001")
        result = self.folder / "result.json"
        status, out, _ = self.parity("experiment=small", "--json", str(result))
        self.assertEqual(status, 1)
        self.assertIn("episode 1, step 0, LM_1: its evidence", out)
        data = json.loads(result.read_text())
        self.assertFalse(data["equal"])
        self.assertEqual(data["first_difference"]["lm"], "LM_1")
        self.assertEqual([side["side"] for side in data["sides"]], ["upstream", "fork"])

    def test_a_tolerance_allows_a_small_change_in_a_fed_run(self) -> None:
        write_release(self.paths.fork_root, "FACTOR = 1.0000001")
        argv = ("experiment=small", "--tolerance")
        self.assertEqual(self.parity(*argv, "1e-5")[0], 0)
        self.assertEqual(self.parity(*argv, "1e-9")[0], 1)

    def test_a_fed_run_does_not_use_the_simulator(self) -> None:
        simulator = self.paths.fork_root / "tbp/monty/simulators.py"
        simulator.write_text("raise ImportError('no OpenGL here')")
        self.assertEqual(self.parity("experiment=small")[0], 0)
        status, _, err = self.parity("experiment=small", "--live")
        self.assertEqual(status, 2)
        self.assertIn("no OpenGL here", err)

    def test_live_sides_and_limits(self) -> None:
        status, out, err = self.parity("experiment=small", "--live", "--steps", "5")
        self.assertEqual(status, 0, err)
        self.assertIn("1 episodes, 5 steps", out)
        self.assertIn("limit reached in both", out)

    def test_the_same_exception_at_the_same_step_is_equal(self) -> None:
        override = "experiment.config.raises_at=6"
        status, out, _ = self.parity("experiment=small", override)
        self.assertEqual(status, 0)
        self.assertIn("both runs raised builtins.LookupError: lost at", out)

    def test_a_fault_of_the_harness_on_both_sides_is_not_equal(self) -> None:
        status, out, err = self.parity(
            "experiment=small", "+experiment.config.unknown=true"
        )
        self.assertEqual((status, out), (2, ""))
        self.assertIn("cannot record a builtins.object", err)

    def test_against_the_reference_backend(self) -> None:
        self.paths = dataclasses.replace(self.paths, cache=self.folder / "cache")
        argv = ("experiment=small", "--against", "reference", "--backend", "fast")
        status, _, err = self.parity(*argv, "--episodes", "1")
        self.assertEqual(status, 0, err)
        self.assertFalse(self.paths.cache.exists())

    def test_a_backend_that_cannot_run_is_no_difference(self) -> None:
        status, _, err = self.parity("experiment=small", "--backend", "broken")
        self.assertEqual(status, 2)
        self.assertIn("fork (broken)", err)
        self.assertIn("no such device", err)

    def test_an_unknown_experiment_names_the_nearest(self) -> None:
        status, _, err = self.parity("experiment=smal")
        self.assertEqual(status, 2)
        self.assertIn("did you mean small?", err)

    def test_an_invalid_override_is_named(self) -> None:
        status, _, err = self.parity("experiment=small", "experiment.config.typo=1")
        self.assertEqual(status, 2)
        self.assertIn("typo", err)

    def test_sides_cannot_be_mixed_up(self) -> None:
        write_release(self.folder / "other")
        self.paths = dataclasses.replace(self.paths, fork_root=self.folder / "other")
        status, _, err = self.parity("experiment=small")
        self.assertEqual(status, 2)
        self.assertIn("imported from", err)

    def test_a_recording_can_be_made_and_compared_with(self) -> None:
        file = str(self.folder / "run.rec.zip")
        argv = ("experiment=small", "--episodes", "2", "--out", file)
        status, out, _ = self.call(record_main, *argv)
        self.assertEqual(status, 0)
        self.assertIn("upstream, 2 episodes, 8 steps, limit reached", out)
        status, _, err = self.call(record_main, *argv)
        self.assertEqual(status, 2)
        self.assertIn("--force", err)
        self.assertEqual(self.call(record_main, *argv, "--force")[0], 0)
        self.assertEqual(self.parity("--recording", file)[0], 0)
        status, _, err = self.parity("--recording", file, "--episodes", "1")
        self.assertEqual(status, 2)
        self.assertIn("--episodes 2", err)

    def test_timing_feeds_both_sides_from_a_recording(self) -> None:
        result = self.folder / "result.json"
        simulator = self.paths.fork_root / "tbp/monty/simulators.py"
        simulator.write_text("raise ImportError('no OpenGL here')")
        argv = ("experiment=small", "--time", "--json", str(result))
        status, out, err = self.parity(*argv)
        self.assertEqual(status, 0, err)
        self.assertIn("median episode", out)
        data = json.loads(result.read_text())
        self.assertEqual([side["fed"] for side in data["sides"]], [True, True])
        self.assertEqual([times["episodes"] for times in data["times"]], [3, 3])
        status, _, err = self.parity("experiment=small", "--time", "--live")
        self.assertEqual(status, 2)
        self.assertIn("--live", err)

    def test_an_interrupt_ends_all_processes_and_keeps_no_recording(self) -> None:
        take_interrupts(self)
        script = (
            "import sys; from pathlib import Path;"
            "from monty_tools.parity.command import parity_main;"
            "from monty_tools.parity.sides import Paths;"
            "roots = map(Path, sys.argv[1:4]);"
            "sys.exit(parity_main(sys.argv[4:], paths=Paths(*roots)))"
        )
        self.paths = dataclasses.replace(self.paths, cache=self.folder / "cache")
        roots = [self.paths.upstream_root, self.paths.fork_root, self.paths.cache]
        running = self.folder / "running"
        for extra in ([], ["--live"]):
            running.mkdir()
            parent = subprocess.Popen(
                [
                    *(sys.executable, "-c", script),
                    *map(str, roots),
                    *("experiment=small", "experiment.config.pause=5"),
                    *(f"experiment.config.tell_in={running}", *extra),
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            workers = self.wait_for_workers(running, 2 if extra else 1)
            parent.send_signal(signal.SIGINT)
            _, err = parent.communicate(timeout=30)
            self.assertEqual(parent.returncode, 130, err)
            self.assertIn("interrupted", err)
            for worker in workers:
                self.assertFalse(Path(f"/proc/{worker}").exists())
            shutil.rmtree(running)
        [file] = self.paths.cache.glob("*.rec.zip")
        with Recording(file) as recording:
            self.assertFalse(recording.complete)

    def wait_for_workers(self, running: Path, count: int) -> list[str]:
        """Returns the workers, once they have reported that they run."""
        if not Path("/proc/self/stat").exists():
            self.skipTest("looking for processes needs /proc")
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            workers = [file.name for file in running.iterdir()]
            if len(workers) == count:
                return workers
            time.sleep(0.1)
        raise AssertionError(f"expected {count} workers, not {workers}")
