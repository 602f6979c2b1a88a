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

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..temporary import remove_abandoned, whole_file
from ..workers.sides import Paths
from .asked import Failure, ParallelResult, ParallelRun
from .cluster import imported_ray, joined_ray
from .crew import Crew
from .episodes import TRAIN
from .joined import Joined
from .order import (
    code_of,
    composed,
    crew_size,
    identity_of,
    most_workers,
    needs_gpu,
    order_of,
    variables_of,
    worker_options,
)
from .phase import PhaseRun
from .store import Store, check_resumed, is_finished, opened_store
from .wandb_run import WandbRun
from .worker import MODEL

__all__ = ["run_parallel"]


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
    if run.resume:
        check_resumed(results, identity)
        if is_finished(results):
            print(f"{results}: all episodes are there", file=sys.stderr)
            return ParallelResult(results, 0, (), 0.0, 0)
    size = crew_size(run, cfg)
    try:
        with (
            opened_store(results, identity, resume=run.resume) as store,
            joined_ray(
                run.ray, size, code_of(run, paths), variables_of(run, size)
            ) as ray,
            Crew(ray, order, run.episode_timeout) as crew,
        ):
            free = ray.available_resources()
            size = min(size, most_workers(run, free))
            share, gpus = run.gpus_per_worker, free.get("GPU", 0)
            if share is None:
                gpus = int(gpus)  # the worker that measures needs a whole one
            if needs_gpu(run, cfg, gpus) and share is None:
                crew.measure(gpus)
                share = 1.0
            crew.options = worker_options(share or 0.0)
            phases = crew.prepare(size)
            size = min(size, max(map(len, phases.values())))
            crew.reduce(size)
            store.claim(identity)
            return _Driver(run, cfg, crew, store, results).run(phases, size)
    finally:
        remove_abandoned()


class _Driver:
    def __init__(
        self, run: ParallelRun, cfg: Any, crew: Crew, store: Store, results: Path
    ) -> None:
        self._run = run
        self._cfg = cfg
        self._crew = crew
        self._store = store
        self._results = results

    def run(self, phases: dict[str, tuple[str, ...]], size: int) -> ParallelResult:
        began = time.monotonic()
        failures: list[Failure] = []
        finished = 0
        for mode, names in phases.items():
            with self._kept(mode, names):
                failures += self._run_phase(mode, names, size, began)
            finished += sum(self._store.has(mode, name) for name in names)
            if failures:
                break
        seconds = time.monotonic() - began
        if not failures:
            self._store.finish(
                f"experiment: {self._cfg.experiment.config.logging.run_name}\n"
                f"num_parallel: {size}\ntotal_time: {seconds}"
            )
        return ParallelResult(self._results, finished, tuple(failures), seconds, size)

    @contextlib.contextmanager
    def _kept(self, mode: str, names: Sequence[str]) -> Iterator[None]:
        """Says what is kept, if something ends the run."""
        try:
            yield
        except BaseException:
            kept = sum(self._store.has(mode, name) for name in names)
            print(
                f"{kept} of {len(names)} episodes have finished and are kept: --resume "
                "goes on with the others",
                file=sys.stderr,
            )
            raise

    def _run_phase(
        self, mode: str, names: Sequence[str], size: int, began: float
    ) -> list[Failure]:
        fresh = self._store.begin(mode)
        joined = Joined(self._results, mode, fresh=fresh)
        with WandbRun.of(self._cfg, mode, self._store.folder) as wandb:
            outputs = [joined.add] if wandb is None else [joined.add, wandb.add]
            phase = PhaseRun(mode, names, self._store, self._run.retries, outputs)
            failures = phase.run(self._crew, size)
            if failures:
                return failures
            episodes = [self._store.of(mode, name) for name in names]
            joined.add_profiles(episodes)
            if mode == TRAIN:
                self._join_models(episodes)
            if wandb is not None:
                seconds = time.monotonic() - began
                wandb.finish(self._crew.call_runner, self._results, seconds, size)
        return []

    def _join_models(self, episodes: Sequence[Path]) -> None:
        target = self._results / "pretrained" / MODEL
        target.parent.mkdir(exist_ok=True)
        with whole_file(target) as file:
            self._crew.join_models(episodes, file)
