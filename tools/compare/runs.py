# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs an experiment of a side: over many workers, or in one process if it must be."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ..guard import Failed
from ..workers.control import go
from ..workers.sides import BACKEND_VARIABLE, UPSTREAM, Paths, Run, Side
from .kept import Asked

__all__ = ["run_in_one_process", "run_in_parallel"]


def run_in_one_process(side: Side, asked: Asked, folder: Path, doing: str) -> None:
    """Run an experiment in a process of its own, which notes that it has finished.

    Args:
        side: What runs.
        asked: What to run.
        folder: Where to write.
        doing: What to show while it runs.

    Raises:
        Failed: If it cannot run.
    """
    go([_Job(side, Run(asked.experiment), folder)], doing)


def run_in_parallel(
    side: Side, paths: Paths, asked: Asked, folder: Path, doing: str
) -> float:
    """Run the episodes of an experiment on workers; those that have finished are kept.

    Args:
        side: What runs.
        paths: Where it is.
        asked: What to run.
        folder: Where to write.
        doing: What to show while it runs.

    Returns:
        How many seconds it took, from the first episode to the last.

    Raises:
        Failed: If an episode failed, or it cannot run.
    """
    # Imported here: only a comparison that runs something needs it.
    from ..parallel.asked import FORK, ParallelRun  # noqa: PLC0415
    from ..parallel.driver import run_parallel  # noqa: PLC0415
    from ..parallel.store import RUN_NAME  # noqa: PLC0415

    print(f"{doing} {side.name}", file=sys.stderr)
    # Benchmark configs report to wandb, where a comparison has no place.
    os.environ["WANDB_MODE"] = "disabled"
    result = run_parallel(
        ParallelRun(
            experiment=asked.experiment,
            overrides=(*asked.overrides, f"{RUN_NAME}={folder.name}"),
            side=UPSTREAM if side.name == UPSTREAM else FORK,
            backend=side.env.get(BACKEND_VARIABLE),
            workers=asked.at_a_time,
            episodes=asked.episodes,
            out=folder.parent,
            resume=True,
        ),
        paths,
    )
    if result.failures:
        first = result.failures[0]
        print(f"{first.name}: {first.details}", file=sys.stderr)
        raise Failed(
            f"{side.name}: {len(result.failures)} episodes failed, the first "
            f"({first.name}) with {first.reason}"
        )
    return result.seconds


@dataclass(frozen=True)
class _Job:
    """A run, as `workers.control.run_jobs` takes it."""

    side: Side
    run: Run
    write: Path

    module: ClassVar[str] = "compare.worker"
    trace: ClassVar[None] = None

    def arguments(self) -> list[str]:
        return [f"--folder={self.write}"]
