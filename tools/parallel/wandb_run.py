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

import contextlib
import importlib
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from omegaconf import OmegaConf

from .episodes import EVAL
from .worker import WANDB

__all__ = ["WandbRun"]

WRAPPER = "tbp.monty.frameworks.loggers.wandb_handlers.WandbWrapper"
ID = "wandb_id"


class WandbRun:
    """One run of wandb, to which the driver reports all episodes in order."""

    def __init__(self, wandb: Any, run: Any, episodes: Sequence[Path]) -> None:
        """Makes a report.

        Args:
            wandb: The library.
            run: Its run.
            episodes: The folders of all episodes, which appear as they finish.
        """
        self._wandb = wandb
        self._run = run
        self._before = run.step
        """How many episodes an earlier process reported."""
        self._episodes = episodes
        self._stats: list[dict[str, Any]] = []

    @classmethod
    @contextlib.contextmanager
    def of(
        cls, cfg: Any, mode: str, folder: Path, episodes: Sequence[Path]
    ) -> Iterator[WandbRun | None]:
        """Opens the run of an evaluation, if its config asks for one.

        Args:
            cfg: The configuration.
            mode: The phase; upstream reports no training.
            folder: Where the id of the run is kept, to go on with it.
            episodes: The folders of all episodes.
        """
        handlers = OmegaConf.select(
            cfg.experiment.config.logging, "monty_data_logger.handlers"
        )
        wrapper = next((h for h in handlers or [] if h["_target_"] == WRAPPER), None)
        if wrapper is None or mode != EVAL:
            yield None
            return
        wandb: Any = importlib.import_module("wandb")
        kept = folder / ID
        if not kept.exists():
            kept.write_text(wandb.util.generate_id(), encoding="utf-8")
        config = cfg.experiment.config
        run = wandb.init(
            name=config.logging.run_name,
            group=wrapper.get("wandb_group"),
            project="Monty",
            config=OmegaConf.to_container(cfg.experiment, resolve=False),
            id=kept.read_text("utf-8"),
            tags=config.get("wandb_tags"),
            resume="allow",
        )
        try:
            yield cls(wandb, run, episodes)
        finally:
            run.finish()

    def report(self) -> None:
        """Reports the next episodes, as far as they have finished."""
        for episode in self._episodes[len(self._stats) :]:
            if not episode.exists():
                return
            stats = pickle.loads((episode / WANDB).read_bytes())  # noqa: S301 ours
            if len(self._stats) >= self._before:
                self._run.log(stats)
            self._stats.append(stats)

    def finish(self, results: Path, seconds: float, workers: int) -> None:
        """Reports what all episodes have in common.

        Args:
            results: The folder of the run's results.
            seconds: How long it took.
            workers: How many workers there were.
        """
        runner: Any = importlib.import_module("tbp.monty.frameworks.run_parallel")
        lists = {key: [one[key] for one in self._stats] for key in self._stats[0]}
        overall = runner.get_overall_stats(lists)
        overall["overall/parallel_run_time"] = seconds
        overall["overall/num_processes"] = workers
        self._run.log(overall)
        table = results / "eval_stats.csv"
        if table.exists():
            rows = pd.read_csv(table)
            per_lm = runner.per_lm_stats(rows)
            self._run.log({"eval_stats": self._wandb.Table(dataframe=rows), **per_lm})
