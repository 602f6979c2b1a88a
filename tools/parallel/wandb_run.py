# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reports an evaluation to wandb, as upstream's parallel runner does."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from omegaconf import OmegaConf

from .worker import WANDB

__all__ = ["report_to_wandb"]

WRAPPER = "tbp.monty.frameworks.loggers.wandb_handlers.WandbWrapper"


def report_to_wandb(
    cfg: Any, results: Path, episodes: Sequence[Path], seconds: float, workers: int
) -> None:
    """Reports an evaluation that has finished, if its config asks for it.

    Args:
        cfg: The configuration.
        results: The folder of the run's results.
        episodes: The folders of its episodes, in order.
        seconds: How long it took.
        workers: How many workers there were.
    """
    config = cfg.experiment.config
    handlers = OmegaConf.select(config.logging, "monty_data_logger.handlers") or []
    wrapper = next((one for one in handlers if one["_target_"] == WRAPPER), None)
    if wrapper is None:
        return
    wandb: Any = importlib.import_module("wandb")
    runner: Any = importlib.import_module("tbp.monty.frameworks.run_parallel")
    stats = [pickle.loads((one / WANDB).read_bytes()) for one in episodes]  # noqa: S301 ours
    run = wandb.init(
        name=config.logging.run_name,
        group=wrapper.get("wandb_group"),
        project="Monty",
        config=OmegaConf.to_container(cfg.experiment, resolve=False),
        tags=config.get("wandb_tags"),
    )
    for one in stats:
        run.log(one)
    lists = {key: [one[key] for one in stats] for key in stats[0]}
    overall = runner.get_overall_stats(lists)
    overall["overall/parallel_run_time"] = seconds
    overall["overall/num_processes"] = workers
    run.log(overall)
    table = results / "eval_stats.csv"
    if table.exists():
        rows = pd.read_csv(table)
        per_lm = runner.per_lm_stats(rows)
        run.log({"eval_stats": wandb.Table(dataframe=rows), **per_lm})
    run.finish()
