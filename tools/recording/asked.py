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

from ..arguments import (
    Misused,
    add_episodes,
    add_experiment,
    experiment_of,
    positive,
)
from ..ending import Ending
from ..workers.control import Job, describe, go
from ..workers.sides import UPSTREAM, Paths, Run, Side
from .cache import SUFFIX, cache_key, cached_recording
from .file import Recording
from .overrides import run_of

__all__ = [
    "add_output",
    "add_run",
    "asked_run",
    "check_output",
    "feed",
    "recorded",
]


def add_run(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments that say what to run."""
    add_experiment(parser)
    parser.add_argument(
        "--steps", type=positive, metavar="N", help="end after N Monty steps"
    )
    add_episodes(parser)
    parser.add_argument(
        "--no-shadows",
        dest="shadows",
        action="store_false",
        help="render without shadows: different images, many times faster in software",
    )


def add_output(parser: argparse.ArgumentParser, what: str) -> None:
    """Adds the arguments for the side to run and the file to write."""
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help=what)
    parser.add_argument(
        "--side",
        default=UPSTREAM,
        metavar="SIDE",
        help="what to run: upstream, or a backend of the fork (default: upstream)",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace the file if it is there"
    )


def check_output(args: argparse.Namespace) -> None:
    if args.out.exists() and not args.force:
        raise Misused(f"{args.out} is there already: --force replaces it")


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
    trusted = args.trust_recording or bool(args.overrides)
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


def feed(
    side: Side,
    run: Run,
    recording: Path,
    write: Path,
    tolerance: float = 0.0,
    trace: Path | None = None,
) -> Ending:
    """Runs a side with the answers of a recording in place of an environment.

    The arguments are those of `Job`.
    """
    job = Job(side, run, write, feed=recording, tolerance=tolerance, trace=trace)
    [ending] = go([job], "tracing" if trace else "feeding")
    return ending
