# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What runs on a side, and what is known of a run: a note beside its results."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from ..guard import Failed
from ..temporary import write_whole
from ..workers.control import ask, go
from ..workers.sides import BACKEND_VARIABLE, UPSTREAM, Paths, Side
from .figures import BadResults
from .suites import is_name

__all__ = [
    "Asked",
    "Kept",
    "finish",
    "kept",
    "plan",
    "run_in_one_process",
    "run_in_parallel",
    "start",
]

FILE = "compare.json"
FORMAT = {"format": "monty-compare-run", "format_version": 1}


@dataclass(frozen=True)
class Asked:
    """A run that is asked for.

    Attributes:
        side: The name of what runs it.
        version: The version of its tbp.monty.
        experiment: The experiment.
        overrides: Hydra overrides.
        episodes: Which episodes to run; None for all.
        at_a_time: How many episodes run at a time.
        in_one_process: Whether each episode needs those before.
    """

    side: str
    version: str
    experiment: str
    overrides: tuple[str, ...]
    episodes: str | None
    at_a_time: int
    in_one_process: bool


@dataclass(frozen=True)
class Kept:
    """What is known of a run in a folder.

    Attributes:
        asked: What was asked for.
        machine: Where it ran.
        finished: Whether all of it is there.
        seconds: How long it took; None if it was interrupted on the way.
    """

    asked: Asked
    machine: Mapping[str, Any]
    finished: bool
    seconds: float | None


def plan(
    side: Side,
    experiments: Sequence[str],
    overrides: tuple[str, ...],
    episodes: str | None,
    workers: int,
) -> dict[str, Asked | str]:
    """Return for each experiment what to run, or why it cannot run.

    Args:
        side: What runs.
        experiments: The experiments.
        overrides: Hydra overrides.
        episodes: Which episodes, as upstream's parallel runner reads it; None for all.
        workers: How many episodes run at a time.
    """
    plans: dict[str, Asked | str] = dict.fromkeys(
        experiments, "this is not the name of an experiment"
    )
    names = [name for name in experiments if is_name(name)]
    if not names:
        return plans
    print(f"checking {len(names)} experiments with {side.name}", file=sys.stderr)
    words = [f"--override={one}" for one in overrides]
    words += [] if episodes is None else [f"--episodes={episodes}"]
    answers = ask(side, "compare.check", [*words, "--", *names])
    version = _version(side)
    for name, answer in zip(names, answers, strict=True):
        if "reason" in answer:
            plans[name] = str(answer["reason"])
            continue
        alone = bool(answer["in_one_process"])
        at_a_time = 1 if alone else workers
        plans[name] = Asked(
            side.name, version, name, overrides, episodes, at_a_time, alone
        )
    return plans


def run_in_one_process(side: Side, folder: Path, doing: str) -> None:
    """Run an experiment in a process of its own, which notes that it has finished.

    Args:
        side: What runs.
        folder: Where to write; a note in it says what to run.
        doing: What to show while it runs.

    Raises:
        Failed: If it cannot run.
    """
    go([_Job(side, folder)], doing)


def run_in_parallel(
    side: Side, paths: Paths, asked: Asked, folder: Path, doing: str
) -> float:
    """Run the episodes of an experiment on workers; those that have finished are kept.

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


def start(folder: Path, asked: Asked, machine: Mapping[str, Any]) -> None:
    """Note which run a folder is for."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder, Kept(asked, machine, finished=False, seconds=None))


def finish(folder: Path, seconds: float | None) -> None:
    """Note that the run of a folder has finished."""
    found = kept(folder)
    assert found is not None
    _write(folder, Kept(found.asked, found.machine, finished=True, seconds=seconds))


def kept(folder: Path) -> Kept | None:
    """Return what is known of the run in a folder; None if it is not one of ours.

    Raises:
        BadResults: If the note of it is damaged.
    """
    path = folder / FILE
    if not path.exists():
        return None
    try:
        noted = json.loads(path.read_text("utf-8"))
        if any(noted.pop(key) != value for key, value in FORMAT.items()):
            raise BadResults(f"{path} is not of this version of monty compare")
        asked = noted.pop("asked")
        overrides = tuple(map(str, asked.pop("overrides")))
        found = Kept(asked=Asked(overrides=overrides, **asked), **noted)
        is_time = found.seconds is None or 0 <= found.seconds < float("inf")
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadResults(f"{path} is damaged: {error}") from error
    if not is_time:
        raise BadResults(f"{path} is damaged: {found.seconds!r} is no time")
    return found


def _write(folder: Path, noted: Kept) -> None:
    write_whole(folder / FILE, json.dumps({**FORMAT, **asdict(noted)}, indent=1))


def _version(side: Side) -> str:
    if side.name != UPSTREAM:
        return importlib.import_module("tbp.monty").__version__
    root = str(side.import_root)
    [found] = importlib.metadata.distributions(name="tbp.monty", path=[root])
    return found.version


@dataclass(frozen=True)
class _Job:
    """A run, as `workers.control.run_jobs` takes it."""

    side: Side
    write: Path

    module: ClassVar[str] = "compare.worker"

    def arguments(self) -> list[str]:
        return [f"--folder={self.write}"]
