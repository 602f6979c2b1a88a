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

from monty_tools.parallel.wandb_run import WRAPPER, report_to_wandb
from monty_tools.parallel.worker import WANDB


def config(handlers):
    logging = {"run_name": "many", "monty_data_logger": {"handlers": handlers}}
    return OmegaConf.create({"experiment": {"config": {"logging": logging}}})


class ReportTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.of_wandb = Mock()
        self.wandb = SimpleNamespace(
            init=Mock(return_value=self.of_wandb),
            Table=lambda dataframe: f"{len(dataframe)} rows",
        )
        self.runner = Mock()
        self.runner.get_overall_stats.return_value = {"overall/steps": 0.5}
        self.runner.per_lm_stats.return_value = {"LM_0/steps": 1}
        modules = {
            "wandb": self.wandb,
            "tbp.monty.frameworks.run_parallel": self.runner,
        }
        self.enterContext(patch.dict(sys.modules, modules))
        self.episodes = [self.folder / "0", self.folder / "1"]
        for number, folder in enumerate(self.episodes):
            folder.mkdir()
            (folder / WANDB).write_bytes(pickle.dumps({"steps": number}))
        (self.folder / "eval_stats.csv").write_text("a\n1\n2\n")

    def report(self, handlers: list) -> None:
        report_to_wandb(config(handlers), self.folder, self.episodes, 3.0, 2)

    def test_is_only_for_runs_that_ask_for_it(self) -> None:
        self.report([])
        self.wandb.init.assert_not_called()

    def test_has_episodes_in_order_and_what_they_have_in_common(self) -> None:
        self.report([{"_target_": WRAPPER, "wandb_group": "benchmarks"}])
        asked = self.wandb.init.call_args.kwargs
        self.assertEqual((asked["name"], asked["group"]), ("many", "benchmarks"))
        self.runner.get_overall_stats.assert_called_once_with({"steps": [0, 1]})
        logged = [call.args[0] for call in self.of_wandb.log.call_args_list]
        *episodes, overall, table = logged
        self.assertEqual(episodes, [{"steps": 0}, {"steps": 1}])
        self.assertEqual(overall["overall/num_processes"], 2)
        self.assertEqual(table, {"eval_stats": "2 rows", "LM_0/steps": 1})
        self.of_wandb.finish.assert_called_once_with()
