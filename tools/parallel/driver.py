# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs an experiment over many workers: gives episodes out, writes what comes back."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..guard import interrupts_held
from ..progress import progress_shown
from ..temporary import remove_abandoned, whole_file
from ..workers.sides import Paths
from .asked import Failure, ParallelResult, ParallelRun
from .cluster import imported_ray, joined_ray
from .episodes import EVAL, TRAIN
from .joined import join, join_profiles, set_aside
from .order import (
    code_of,
    composed,
    gpu_share,
    identity_of,
    most_workers,
    order_of,
    variables_of,
    wanted_workers,
)
from .pool import Lost, Pool
from .store import Store, check_resumed, is_finished, opened_store
from .wandb_run import report_to_wandb
from .worker import MODEL, Outcome

__all__ = ["run_parallel"]

LEAST_GPU_SHARE = 0.02
GPU_MARGIN = 1.2
"""Later episodes may take more memory than the first one."""


def run_parallel(run: ParallelRun, paths: Paths) -> ParallelResult:
    """Runs an experiment over many workers.

    Args:
        run: What to run.
        paths: Where upstream and the fork are.

    Returns:
        Where the result files are, and which episodes failed.

    Raises:
        Failed: If it could not run; episodes that finished are kept for `resume`.
    """
    imported_ray(run.ray)
    cfg = composed(run)
    logging_config = cfg.experiment.config.logging
    results = Path(logging_config.output_dir) / logging_config.run_name
    order = order_of(run, paths, cfg)
    identity = identity_of(run, cfg, order.version)
    if run.resume:  # looked at before the folder is touched
        check_resumed(results, identity)
        if is_finished(results):
            print(f"{results}: all episodes are there", file=sys.stderr)
            return ParallelResult(results, 0, (), 0.0, 0)
    size = wanted_workers(run, cfg)
    code, variables = code_of(run, paths), variables_of(run, size)
    try:
        with (
            opened_store(results, identity, resume=run.resume) as store,
            joined_ray(run.ray, size, code, variables) as cluster,
        ):
            driver = _Driver(run, cfg, Pool(cluster, order), store, results)
            phases = driver.start(size, cluster.ray.available_resources())
            store.claim(identity)
            return driver.run(phases)
    finally:
        remove_abandoned()


class _Driver:
    def __init__(
        self, run: ParallelRun, cfg: Any, pool: Pool, store: Store, results: Path
    ) -> None:
        self._run = run
        self._cfg = cfg
        self._pool = pool
        self._store = store
        self._results = results
        self._size = 0
        self._unshared_gpus = 0
        """How many GPUs there are, while it is unknown how many workers fit on one."""

    def start(self, size: int, free: Mapping[str, float]) -> dict[str, tuple[str, ...]]:
        """Starts workers; only one, if it has yet to be measured what each takes.

        Args:
            size: How many there should be.
            free: How much of each resource Ray has left.

        Returns:
            The names of the episodes, by phase.
        """
        share = gpu_share(self._run, self._cfg, free)
        self._size = min(size, most_workers(self._run, share or 0.0, free))
        if share is None:
            self._unshared_gpus = int(free["GPU"])
            return self._pool.start(1, 1.0)
        return self._pool.start(self._size, share)

    def run(self, phases: Mapping[str, Sequence[str]]) -> ParallelResult:
        began = time.monotonic()
        failures: list[Failure] = []
        finished = 0
        size = min(self._size, max(map(len, phases.values())))
        for mode, names in phases.items():
            folders = [self._store.of(mode, name) for name in names]
            failures = self._run_phase(mode, names, folders)
            finished += len(_present(folders))
            if failures:
                break
            seconds = time.monotonic() - began
            if mode == EVAL:  # upstream reports no training
                report_to_wandb(self._cfg, self._results, folders, seconds, size)
        seconds = time.monotonic() - began
        if not failures:
            self._store.finish(
                f"experiment: {self._cfg.experiment.config.logging.run_name}\n"
                f"num_parallel: {size}\ntotal_time: {seconds}"
            )
        return ParallelResult(self._results, finished, tuple(failures), seconds, size)

    def _run_phase(
        self,
        mode: str,
        names: Sequence[str],
        folders: Sequence[Path],
    ) -> list[Failure]:
        """Runs what is missing of a phase; returns the episodes without a result."""
        if self._store.begin(mode):
            set_aside(self._results, mode)
        failures: dict[int, Failure] = {}
        missing = [i for i, folder in enumerate(folders) if not folder.exists()]
        try:
            with progress_shown("training" if mode == TRAIN else "evaluating") as show:
                done = len(names) - len(missing)
                show(done, len(names), str(self._pool))
                for number, outcome in self._outcomes(mode, missing):
                    failed = _failure(names[number], outcome)
                    if failed is not None:
                        failures[number] = failed
                    elif isinstance(outcome, Outcome):
                        with interrupts_held():
                            self._store.keep(mode, names[number], outcome.files)
                    done += 1
                    show(done, len(names), f"{len(failures)} failed, {self._pool}")
        except BaseException:
            print(
                f"{len(_present(folders))} of {len(names)} episodes have finished and "
                "are kept: --resume goes on with the others",
                file=sys.stderr,
            )
            raise
        finally:
            join(self._results, mode, _present(folders))
        if not failures:
            join_profiles(self._results, mode, folders)
            if mode == TRAIN:
                self._join_models(folders)
        return [failures[number] for number in sorted(failures)]

    def _outcomes(
        self, mode: str, missing: Sequence[int]
    ) -> Iterator[tuple[int, Outcome | Lost]]:
        """Runs episodes; the first one alone, if it tells how many share a GPU."""
        retries = self._run.retries
        waiting = deque(missing)
        while waiting and self._unshared_gpus:
            for number, outcome in self._pool.run(mode, [waiting.popleft()], retries):
                yield number, outcome
                if isinstance(outcome, Outcome) and outcome.error is None:
                    self._share_gpus(outcome.gpu_share)
        yield from self._pool.run(mode, waiting, retries)

    def _share_gpus(self, share: float) -> None:
        """Starts as many workers as fit on the GPUs.

        Args:
            share: The part of a GPU's memory that an episode takes.
        """
        per_gpu = max(1, int(1 / (max(share, LEAST_GPU_SHARE) * GPU_MARGIN)))
        print(
            f"an episode takes {share:.0%} of a GPU's memory: {per_gpu} workers per "
            "GPU",
            file=sys.stderr,
        )
        self._pool.dismiss()  # it has a whole GPU
        self._pool.start(min(self._size, per_gpu * self._unshared_gpus), 1 / per_gpu)
        self._unshared_gpus = 0

    def _join_models(self, episodes: Sequence[Path]) -> None:
        target = self._results / "pretrained" / MODEL
        target.parent.mkdir(exist_ok=True)
        with whole_file(target) as file:
            self._pool.join_models(episodes, file)


def _failure(name: str, outcome: Outcome | Lost) -> Failure | None:
    if isinstance(outcome, Lost):
        return Failure(name, outcome.reason, outcome.lines)
    if outcome.error is not None:  # it would raise the same exception again
        return Failure(name, outcome.reason, outcome.error)
    return None


def _present(folders: Sequence[Path]) -> list[Path]:
    return [folder for folder in folders if folder.exists()]
