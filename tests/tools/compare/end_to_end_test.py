# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty compare` from its arguments to its tables."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
from collections import Counter
from pathlib import Path

import pytest

from monty_tools.workers.sides import Paths
from tests.interrupts import take_interrupts
from tests.tools.parallel.small_parallel import RELEASE, wait_until
from tests.tools.parity.end_to_end_test import need_rendering
from tests.tools.small_monty import small_monty

HANDLER = "tbp.monty.frameworks.loggers.monty_handlers.BasicCSVStatsHandler"
SMALL = {
    **RELEASE,
    "tbp/monty/conf/experiment/small.yaml": f"""
        # @package _global_
        experiment:
          config:
            do_train: false
            do_eval: true
            n_eval_epochs: 2
            seed: 1
            monty_config:
              monty_class: ${{monty.class:tbp.monty.hydra.Training}}
            environment:
              env_init_func: ${{monty.class:tbp.monty.hydra.Training}}
              env_init_args: {{}}
            eval_env_interface_class: ${{monty.class:tbp.monty.hydra.OneObject}}
            eval_env_interface_args:
              object_names: [ball, box]
              object_init_sampler: {{}}
            logging:
              output_dir: ${{oc.env:MONTY_LOGS}}
              run_name: small
              monty_data_logger:
                handlers:
                  - _target_: {HANDLER}
        """,
    "tbp/monty/conf/experiment/elsewhere.yaml": """
        # @package _global_
        experiment:
          config:
            environment:
              env_init_func: ${monty.class:no_such_simulator.Simulator}
        """,
    "tbp/monty/frameworks/models/no_reset_evidence_matching.py": """
        class MontyForNoResetEvidenceGraphMatching:
            pass
        """,
    "tbp/monty/frameworks/run_parallel.py": """
        import os
        import time
        from pathlib import Path

        from omegaconf import OmegaConf

        HEADER = "lm_id,primary_performance,rotation_error,time,monty_matching_steps"

        def generate_parallel_eval_configs(experiment, name):
            configs = []
            names = experiment.config.eval_env_interface_args.object_names
            for number in range(len(names) * experiment.config.n_eval_epochs):
                config = OmegaConf.to_object(experiment)
                logging = config["config"]["logging"]
                logging["run_name"] = f"{name}-{number}"
                configs.append(config)
            return configs

        def filter_episode_configs(configs, spec):
            return configs

        def single_evaluate(config):
            folder = Path(config["config"]["logging"]["output_dir"])
            logs = Path(os.environ["MONTY_LOGS"])
            with (logs / "runs").open("a") as runs:
                runs.write(config["config"]["logging"]["run_name"] + "\\n")
            if (logs / "slow").exists():
                time.sleep(2)
            row = f"LM_0,correct,{config['config']['seed']},0.5,7"
            (folder / "eval_stats.csv").write_text(f"{HEADER}\\n{row}\\n")
        """,
}


class SmallMontyTest(unittest.TestCase):
    """A Monty of a few lines, with real processes and a real Ray."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.env = {
            "PYTHONPATH": str(self.folder / "fork"),
            "MONTY_LOGS": folder.name,
            "MONTY_DATA": folder.name,
            "MONTY_MODELS": folder.name,
        }
        for root, version in (("upstream", "0.0.1"), ("fork", "0.0.2")):
            metadata = f"tbp_monty-{version}.dist-info/METADATA"
            files = {
                **SMALL,
                "tbp/monty/__init__.py": f'__version__ = "{version}"',
                metadata: f"Metadata-Version: 2.1\nName: tbp.monty\nVersion: {version}",
            }
            for name, text in files.items():
                path = self.folder / root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(textwrap.dedent(text))

    def start(self, *words: str) -> subprocess.Popen:
        roots = (self.folder / "upstream", self.folder / "fork", self.folder / "cache")
        return subprocess.Popen(
            [*small_monty("compare", Paths(*roots)), *words],
            env={**os.environ, **self.env},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def compare(self, *words: str) -> tuple[int, str]:
        process = self.start(*words)
        output, _ = process.communicate(timeout=600)
        return process.returncode, output

    def runs(self) -> list[str]:
        """Return which episodes have begun."""
        file = self.folder / "runs"
        return file.read_text().splitlines() if file.exists() else []

    @pytest.mark.thorough
    def test_upstream_and_a_difference_made_on_purpose(self) -> None:
        status, output = self.compare(
            "small",
            "elsewhere",
            "--workers=1",
            "--proposed-override=experiment.config.seed=3",
            "--json=table.json",
        )
        self.assertEqual(status, 1, output)
        found = json.loads((self.folder / "table.json").read_text("utf-8"))
        self.assertEqual(found["baseline"], "upstream, tbp.monty 0.0.1")
        self.assertTrue(found["proposed"].startswith("fork, tbp.monty 0.0.2 with "))
        [experiment] = found["experiments"]
        rows = {row.pop("metric"): row for row in experiment["rows"]}
        self.assertEqual(
            rows["rotation_error (deg)"],
            {"baseline": 1.0, "proposed": 3.0, "delta": 2.0, "result": "worse"},
        )
        self.assertEqual(rows["num_episodes"]["proposed"], 4)
        self.assertEqual(rows["percent_correct (%)"]["result"], "unchanged")
        reason = "needs no_such_simulator, which is not installed"
        self.assertEqual(found["left_out"], [{"name": "elsewhere", "reason": reason}])

    @pytest.mark.thorough
    def test_an_interrupted_run_goes_on(self) -> None:
        take_interrupts(self)
        (self.folder / "slow").touch()
        process = self.start("small", "--workers=1")
        # The first side has run, and an episode of the second.
        wait_until(lambda: len(self.runs()) == 6)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, output)
        self.assertIn("small: the command was interrupted", output)
        (self.folder / "slow").unlink()
        status, output = self.compare("small", "--workers=1")
        self.assertEqual(status, 0, output)
        self.assertIn("runtime: the sum of the episodes", output)
        begun = Counter(self.runs())
        # Two sides; only the episode that ran when the interrupt came ran again.
        self.assertEqual(sorted(begun.values()), [2, 2, 2, 3])


@pytest.mark.thorough
class MontyTest(unittest.TestCase):
    """Experiments that need no downloads."""

    SUITE = (
        "test/eval_lt_mujoco",
        "test/reproducibility_eval_episodes_mujoco",
        "test/evidence_lm/evidence_mujoco",  # in one process, because it trains first
    )

    def setUp(self) -> None:
        need_rendering()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def compare(self, *words: str) -> tuple[int, dict[str, dict[str, dict]]]:
        """Return the exit status, and the rows by experiment and metric."""
        done = subprocess.run(
            [sys.executable, "-m", "tbp.monty.cli", "compare", "--json=table", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        self.assertIn(done.returncode, (0, 1), done.stderr)
        found = json.loads((self.folder / "table").read_text("utf-8"))
        self.assertEqual(found["left_out"], [])
        return done.returncode, {
            one["name"]: {row["metric"]: row for row in one["rows"]}
            for one in found["experiments"]
        }

    def test_upstream_backends_and_another_seed(self) -> None:
        suite = self.folder / "suite.txt"
        suite.write_text("\n".join(self.SUITE))
        # Against upstream.
        status, tables = self.compare(f"--suite={suite}", "--markdown=table.md")
        self.assertEqual(status, 0)
        self.assertEqual([*tables], [*self.SUITE])
        self.assertEqual(tables[self.SUITE[1]]["num_episodes"]["proposed"], 6)
        trained = tables[self.SUITE[2]]
        self.assertGreater(trained["percent_correct (%)"]["proposed"], 0)
        self.assertIsNotNone(trained["rotation_error (deg)"]["proposed"])
        text = (self.folder / "table.md").read_text("utf-8")
        self.assertEqual(text.count("| Metric "), 3)
        # Two backends, one of which has run already.
        kept, trains = "--baseline=compare-results/proposed", self.SUITE[2]
        status, tables = self.compare(trains, kept, "--proposed=numpy", "--out=2")
        self.assertEqual((status, [*tables]), (0, [trains]))
        # A difference that is made on purpose.
        seed = "--proposed-override=experiment.config.seed=7"
        status, tables = self.compare(
            trains, kept, "--proposed=reference", seed, "--out=3"
        )
        self.assertEqual(status, 1)
        self.assertNotEqual(tables[trains]["match_steps"]["result"], "unchanged")
