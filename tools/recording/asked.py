# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the commands that compare runs share: arguments and recordings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..arguments import Misused, Parser, experiment_of, is_trusted
from ..workers.control import Job, describe, go
from ..workers.sides import Paths, Run, Side
from .cache import SUFFIX, cache_key, cached_recording
from .file import Recording
from .overrides import run_of

__all__ = [
    "add_run",
    "asked_run",
    "recorded",
]


def add_run(parser: Parser) -> None:
    """Adds the arguments that say what to run."""
    parser.add_experiment()
    parser.add_shared("--episodes", "--steps", "--no-shadows")


def asked_run(args: argparse.Namespace) -> Run:
    """Returns what the arguments ask to run."""
    experiment, overrides = experiment_of(args.overrides)
    return Run(experiment, overrides, args.steps, args.episodes, args.shadows)


def recorded(
    args: argparse.Namespace, against: Side, paths: Paths, folder: Path
) -> tuple[Run, Path]:
    """Returns what to run, and a recording of it: the one named, a kept or a new one.

    Args:
        args: They name the recording, or what to run.
        against: The side to record.
        paths: Where the cache is.
        folder: Where a recording is written that is not kept.
    """
    if args.recording:
        return _recorded_run(args), args.recording
    run = asked_run(args)
    return run, _recording_of(against, run, paths, folder)


def _recorded_run(args: argparse.Namespace) -> Run:
    # Overrides that the user repeats are the user's.
    trusted = is_trusted(args.recording) or bool(args.overrides)
    with Recording(args.recording) as recording:
        run = run_of(recording, trusted=trusted)
    limits = {"steps": run.steps, "episodes": run.episodes}
    asked = {"steps": args.steps, "episodes": args.episodes}
    for name, number in asked.items():
        if number not in (None, limits[name]):
            raise Misused(
                f"{args.recording} was recorded with --{name} {limits[name]}, "
                f"not {number}: leave --{name} out"
            )
    if args.overrides and set(args.overrides) != {
        f"experiment={run.experiment}",
        *run.overrides,
    }:
        raise Misused(
            f"{args.recording} is of experiment={run.experiment} "
            f"{' '.join(run.overrides)}: leave the experiment out"
        )
    return run


def _recording_of(against: Side, run: Run, paths: Paths, folder: Path) -> Path:
    def record(path: Path) -> None:
        go([Job(against, run, path)], "recording")

    if paths.cache is None or against.import_root != paths.upstream_root:
        # The fork changes often, so its recordings are not kept.
        path = folder / f"against{SUFFIX}"
        record(path)
        return path
    key = cache_key(against, run, describe(against, run))
    return cached_recording(paths.cache, key, record, _say_waiting)


def _say_waiting() -> None:
    print("waiting for another process that records the same run", file=sys.stderr)
