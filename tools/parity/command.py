# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The commands ``monty parity`` and ``monty record``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..arguments import (
    DIFFERENT,
    EQUAL,
    Command,
    Misused,
    Parser,
    check_new,
    experiment_of,
    is_trusted,
)
from ..recording.cache import SUFFIX, cache_key, cached_recording
from ..recording.file import Recording
from ..recording.overrides import run_of
from ..recording.times import rounds_of
from ..recording.tolerance import TOLERANCE, tolerance_within
from ..temporary import temporary_folder, write_whole
from ..workers.control import Job, describe, go
from ..workers.sides import UPSTREAM, Paths, Run, Side, side_named
from .compare import compare
from .report import show, show_times, summarize_times, summary

__all__ = ["PARITY", "RECORD"]

FORMAT = {"format": "monty-parity", "format_version": 1}
"""Of the file that `--json` writes; `monty report` reads it."""

PARITY_EPILOG = """\
examples:
  monty parity experiment=test/eval_lt_mujoco
  monty parity experiment=test/eval_lt_mujoco --proposed numba --episodes :1
  monty parity experiment=NAME experiment.config.seed=7 --baseline reference --live
  monty parity --recording run.rec.zip --proposed numba --time

exit status: 0 equal, 1 different, 2 could not run, 130 interrupted
"""

RECORD_EPILOG = """\
examples:
  monty record experiment=test/eval_lt_mujoco --out run.rec.zip
  monty record experiment=NAME --side numba --episodes :3 --out fork.rec.zip --force

exit status: 0 recorded, 2 could not run, 130 interrupted
"""


def _parity_parser() -> Parser:
    parser = Parser(
        "monty parity",
        f"""\
Runs an experiment on two sides, in separate processes, and compares every step: bit for
bit with the backend reference, within {TOLERANCE} with others. The baseline's
environment is rendered once; the other side gets the recorded answers.""",
        PARITY_EPILOG,
        words="experiment=NAME [OVERRIDE ...]",
    )
    parser.add_shared("--baseline", "--proposed")
    _add_run(parser)
    parser.add_shared("--tolerance", "--recording", "--trust", "--json")
    parser.add_argument(
        "--proposed-override",
        action="append",
        default=[],
        metavar="OVERRIDE",
        help="a Hydra override for the proposed side only; may be repeated",
    )
    parser.add_argument(
        "--live", action="store_true", help="render on both sides, at the same time"
    )
    parser.add_argument(
        "--time",
        action="store_true",
        help="print Monty's time on both sides, fed one after the other",
    )
    return parser


def _record_parser() -> Parser:
    parser = Parser(
        "monty record",
        "Runs an experiment and records every answer of the environment and every step "
        "of\nMonty.",
        RECORD_EPILOG,
        words="experiment=NAME [OVERRIDE ...]",
    )
    _add_run(parser)
    parser.add_shared("--side")
    parser.add_shared("--out", required=True)
    parser.add_shared("--force", "--trust")
    return parser


def _parity(args: argparse.Namespace, paths: Paths) -> int:
    if args.live and (args.recording or args.time):
        raise Misused("--live renders, so it excludes --recording and --time")
    baseline, proposed = (
        side_named(name, paths) for name in (args.baseline, args.proposed)
    )
    with temporary_folder() as folder:
        recording = None
        if args.live:
            run = _asked_run(args)
        else:
            run, recording = _recorded(args, baseline, paths, folder)
        runs = run, replace(run, overrides=(*run.overrides, *args.proposed_override))
        within = max(
            tolerance_within(args.tolerance, side, of_side.overrides)
            for side, of_side in zip((baseline, proposed), runs, strict=True)
        )
        jobs = [
            Job(side, of_side, file, recording, observations=False, tolerance=within)
            for side, of_side, file in zip(
                (baseline, proposed),
                runs,
                (folder / f"baseline{SUFFIX}", folder / f"proposed{SUFFIX}"),
                strict=True,
            )
        ]
        theirs, ours = (job.write for job in jobs)
        timed = jobs if args.time else []
        if args.live or within:
            # A recording's digests tell only whether hypotheses have equal bits.
            go(jobs, "running", check_hypotheses=within > 0)
            timed = [replace(job, write=folder / job.write.stem) for job in timed]
            _one_by_one(timed)
        elif args.time or (args.recording and args.baseline != UPSTREAM):
            # The recorded run's own times do not count: it rendered, at another time.
            _one_by_one(jobs)
        else:
            assert recording is not None
            theirs = recording
            _one_by_one(jobs[1:])
        return _report(args, theirs, ours, timed, within)


def _add_run(parser: Parser) -> None:
    """Adds the arguments that say what to run."""
    parser.add_experiment()
    parser.add_shared("--episodes", "--steps", "--no-shadows")


def _asked_run(args: argparse.Namespace) -> Run:
    """Returns what the arguments ask to run."""
    experiment, overrides = experiment_of(args.overrides)
    return Run(experiment, overrides, args.steps, args.episodes, args.shadows)


def _recorded(
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
    run = _asked_run(args)
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


def _one_by_one(jobs: Sequence[Job]) -> None:
    for job in jobs:
        go([job], "feeding")


def _report(
    args: argparse.Namespace,
    theirs: Path,
    ours: Path,
    timed: Sequence[Job],
    within: float,
) -> int:
    with Recording(theirs) as left, Recording(ours) as right:
        comparison = compare(left, right, within, all_hypotheses=within > 0)
        names = [r.manifest["side"] for r in (left, right)]
        print(show(comparison, *names))
        times = {}
        for job in timed:
            with Recording(job.write) as recording:
                for of_side in rounds_of(recording):
                    times[job.side.name] = summarize_times(of_side)
        if times:
            print(f"\n{show_times(times)}")
        elif timed:
            print("\nno episode came to its end: there are no times")
        if args.json:
            result = {
                **FORMAT,
                "sides": [
                    {k: v for k, v in r.manifest.items() if k != "format"}
                    for r in (left, right)
                ],
                "tolerance": within,
                "times": list(times.values()),
                **comparison.as_dict(),
            }
            write_whole(args.json, json.dumps(result, indent=2) + "\n")
    return EQUAL if comparison.equal else DIFFERENT


def _record(args: argparse.Namespace, paths: Paths) -> int:
    check_new(args.out, force=args.force)
    side = side_named(args.side, paths)
    [ending] = go([Job(side, _asked_run(args), args.out)], "recording")
    with Recording(args.out) as recording:
        print(f"{args.out}: {summary(side.name, recording, ending)}")
    return EQUAL


PARITY = Command(_parity_parser, _parity)
RECORD = Command(_record_parser, _record)
