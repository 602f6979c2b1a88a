# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty run-parallel` gives what upstream's own `run_parallel` gives, bit for bit."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest

from tests.fork.parity import actions_from
from tests.tools.parallel.results import contents
from tests.tools.parallel.runners import our_command, upstream_command

CONFIG = "experiment.config"
SEVERAL_LMS = (
    "experiment=test/evidence_lm/five_lm_mujoco",
    actions_from("actions.jsonl"),
    f"{CONFIG}.logging.run_name=five",
    f"{CONFIG}.logging.python_log_level=WARNING",
)
EXPERIMENTS = "tbp.monty.frameworks.experiments"
PRETRAINS = "pretraining_experiments.MontySupervisedObjectPretrainingExperiment"
THREE_OBJECTS = "[capsule3DSolid,cubeSolid,cylinderSolid]"
PRETRAINING = (
    *SEVERAL_LMS,
    f"experiment._target_={EXPERIMENTS}.{PRETRAINS}",
    f"{CONFIG}.do_eval=false",
    f"{CONFIG}.supervised_lm_ids=all",
    f"{CONFIG}.train_env_interface_args.object_names={THREE_OBJECTS}",
)
"""Each object is shown in two poses."""

HANDLERS = "tbp.monty.frameworks.loggers.monty_handlers"
TABLE = f"{{_target_:{HANDLERS}.BasicCSVStatsHandler}}"
FILES = f"{{_target_:{HANDLERS}.DetailedJSONHandler,detailed_save_per_episode:true}}"
DETAILED = (
    "experiment=test/reproducibility_eval_episodes_mujoco",
    f"{CONFIG}.do_train=false",
)
PER_EPISODE = (
    f"+{CONFIG}.logging.detailed_save_per_episode=true",
    f"{CONFIG}.logging.monty_data_logger.handlers=[{TABLE},{FILES}]",
)
YCB = (
    "experiment=randrot_noise_10distinctobj_dist_on_distm_mujoco",
    "episodes=:6",
)


@pytest.mark.thorough
class UpstreamTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        from ray.cluster_utils import Cluster  # noqa: PLC0415 slow

        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.cluster = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 2, **_SMALL, "include_dashboard": False},
        )
        cls.addClassCleanup(cls.cluster.shutdown)
        for _ in range(2):
            cls.cluster.add_node(num_cpus=1, **_SMALL)

    def test_pretraining_and_several_learning_modules(self):
        trained = self.assert_same("training", PRETRAINING)
        model = f"{CONFIG}.model_name_or_path={trained / 'pretrained'}"
        several = (*SEVERAL_LMS, model, f"{CONFIG}.do_train=false")
        results = self.assert_same("several", (*several, f"{CONFIG}.n_eval_epochs=6"))
        rows = pd.read_csv(results / "eval_stats.csv")
        self.assertEqual(len(rows), 30)
        self.assertGreater(rows["num_steps"].max(), 1)

    def test_detailed_logging_in_a_file_per_episode(self):
        results = self.assert_same("detailed", (*DETAILED, *PER_EPISODE))
        names = sorted(p.name for p in (results / "detailed_run_stats").iterdir())
        self.assertEqual(len(names), 6)

    def test_ycb_objects(self):
        data = os.environ.get("MONTY_DATA", "")
        if not Path(data, "mujoco/objects/ycb").exists():
            self.skipTest("MONTY_DATA has no YCB objects")
        self.assert_same("ycb", YCB)

    def assert_same(self, name: str, words: Sequence[str]) -> Path:
        """Compare both sides; return the folder of upstream's results."""
        theirs = self.upstream(f"{name}-upstream", words)
        expected = contents(theirs)
        self.assertTrue(expected)
        for workers in (1, 2, 4):
            with self.subTest(name=name, workers=workers):
                found = contents(self.run_parallel(f"{name}-{workers}", workers, words))
                self.assertEqual(set(found), set(expected))
                different = [one for one in expected if found[one] != expected[one]]
                self.assertEqual(different, [])
        return theirs

    def upstream(self, name: str, words: Sequence[str]) -> Path:
        words = (*words, "num_parallel=2")
        logs = self.folder / name
        return self._results(logs, *upstream_command(words, str(logs)))

    def run_parallel(self, name: str, workers: int, words: Sequence[str]) -> Path:
        words = (*words, f"--workers={workers}", f"--ray={self.cluster.address}")
        logs = self.folder / name
        return self._results(logs, *our_command(words, str(logs)))

    def _results(self, logs: Path, command: list[str], env: dict[str, str]) -> Path:
        ended = subprocess.run(command, env=env, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, f"{command}\n{ended.stderr[-3000:]}")
        [table] = logs.rglob("*_stats.csv")
        return table.parent


_SMALL = {"object_store_memory": 80 * 2**20}
