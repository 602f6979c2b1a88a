# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Tests that wandb gets every episode once, in order, and what they have in common."""

from __future__ import annotations

import pickle
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, patch

from omegaconf import OmegaConf

from monty_tools.parallel.wandb_run import WRAPPER, WandbRun
from monty_tools.parallel.worker import WANDB


def config(handlers):
    logging = {"run_name": "many", "monty_data_logger": {"handlers": handlers}}
    return OmegaConf.create({"experiment": {"config": {"logging": logging}}})


class WandbRunTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.of_wandb = Mock(step=0)
        wandb = SimpleNamespace(
            util=SimpleNamespace(generate_id=lambda: "abc"),
            init=Mock(return_value=self.of_wandb),
            Table=lambda dataframe: f"{len(dataframe)} rows",
        )
        self.wandb = wandb
        patched = patch.dict(sys.modules, {"wandb": wandb})
        patched.start()
        self.addCleanup(patched.stop)
        self.cfg = config([{"_target_": WRAPPER, "wandb_group": "benchmarks"}])

    def episode(self, number: int) -> Path:
        return self.folder / str(number)

    def finish(self, number: int) -> None:
        folder = self.episode(number)
        folder.mkdir()
        (folder / WANDB).write_bytes(pickle.dumps({"steps": number}))

    def logged(self) -> list:
        return [call.args[0] for call in self.of_wandb.log.call_args_list]

    def opened(self, cfg: object = None, mode: str = "eval"):
        episodes = [self.episode(0), self.episode(1)]
        return WandbRun.of(cfg or self.cfg, mode, self.folder, episodes)

    def test_is_only_for_evaluations_that_ask_for_it(self) -> None:
        with self.opened(mode="train") as report:
            self.assertIsNone(report)
        with self.opened(config([])) as report:
            self.assertIsNone(report)
        self.wandb.init.assert_not_called()

    def test_reports_episodes_in_order_and_what_they_have_in_common(self) -> None:
        (self.folder / "eval_stats.csv").write_text("a\n1\n2\n")
        runner = Mock()
        runner.get_overall_stats.return_value = {"overall/steps": 0.5}
        runner.per_lm_stats.return_value = {"LM_0/steps": 1}
        with (
            patch.dict(sys.modules, {"tbp.monty.frameworks.run_parallel": runner}),
            self.opened() as report,
        ):
            self.finish(1)
            report.report()
            self.assertEqual(self.logged(), [])
            self.finish(0)
            report.report()
            report.finish(self.folder, 3.0, 2)
        asked = self.wandb.init.call_args.kwargs
        self.assertEqual((asked["name"], asked["group"]), ("many", "benchmarks"))
        runner.get_overall_stats.assert_called_once_with({"steps": [0, 1]})
        *episodes, overall, table = self.logged()
        self.assertEqual(episodes, [{"steps": 0}, {"steps": 1}])
        self.assertEqual(overall["overall/num_processes"], 2)
        self.assertEqual(table, {"eval_stats": "2 rows", "LM_0/steps": 1})
        self.of_wandb.finish.assert_called_once_with()

    def test_goes_on_with_the_same_run(self) -> None:
        self.finish(0)
        with self.opened() as report:
            report.report()
        self.of_wandb.step = 1
        self.wandb.util.generate_id = lambda: "another"
        self.finish(1)
        with self.opened() as report:
            report.report()
        self.assertEqual(self.wandb.init.call_args.kwargs["id"], "abc")
        self.assertEqual(self.logged(), [{"steps": 0}, {"steps": 1}])
