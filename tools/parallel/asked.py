# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What to run over many workers, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["FORK", "LOCAL", "Failure", "ParallelResult", "ParallelRun"]

FORK = "fork"
LOCAL = "local"
"""The address that starts a Ray of our own, on this machine."""


@dataclass(frozen=True)
class ParallelRun:
    """What to run.

    Attributes:
        experiment: The name of the experiment's configuration.
        overrides: Hydra overrides.
        side: What runs it: "fork" or "upstream".
        backend: The fork's backend; None leaves the choice to environment and config.
        workers: How many workers; None for the config's `num_parallel`, or fewer if
            there are fewer processors.
        episodes: Which episodes, as in the config's `episodes`; None for those of the
            config.
        out: Replaces the config's `logging.output_dir`.
        ray: "local", "auto" or the address of a cluster.
        resume: Whether to go on with a run that did not finish.
        retries: How often an episode is tried again after it was lost.
        episode_timeout: After how many seconds an episode counts as lost.
        gpus_per_worker: The share of a GPU that a worker takes; None to find out.
    """

    experiment: str
    overrides: tuple[str, ...] = ()
    side: str = FORK
    backend: str | None = None
    workers: int | None = None
    episodes: str | None = None
    out: Path | None = None
    ray: str = LOCAL
    resume: bool = False
    retries: int = 2
    episode_timeout: float | None = None
    gpus_per_worker: float | None = None


@dataclass(frozen=True)
class Failure:
    """An episode without a result.

    Attributes:
        name: The name of the episode's run.
        reason: What happened, in one line.
        details: The traceback, or the last lines that were logged.
    """

    name: str
    reason: str
    details: str


@dataclass(frozen=True)
class ParallelResult:
    """What became of a run.

    Attributes:
        folder: Where the files are: `eval_stats.csv` and so on.
        finished: How many episodes have a result; 0 if nothing was left to run.
        failures: The episodes that have none.
        seconds: How long it took, from the first episode to the last.
        workers: How many workers there were; 0 if nothing was left to run.
    """

    folder: Path
    finished: int
    failures: tuple[Failure, ...]
    seconds: float
    workers: int
