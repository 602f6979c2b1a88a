# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The commands ``monty trace`` and ``monty replay``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ..arguments import DIFFERENT, EQUAL, Command, Misused, Parser, check_new
from ..parity.compare import Comparison, compare
from ..parity.report import show, summary
from ..recording.asked import add_run, feed, recorded
from ..recording.cache import SUFFIX as RECORDING_SUFFIX
from ..recording.file import NotARecording, Recording, UnreadableRecording
from ..recording.times import Rounds, rounds_of, show_times, summarize_times
from ..recording.tolerance import tolerance_within
from ..temporary import temporary_folder, write_whole
from ..workers.control import go
from ..workers.sides import (
    UPSTREAM,
    Paths,
    Run,
    Side,
    fork_side,
    side_named,
    upstream_side,
)
from .results import SUFFIX, TRACE

__all__ = ["TRACE_COMMAND", "replay_main", "replay_parser"]

FORMAT = {"format": "monty-replay", "format_version": 1}
"""Of the file that `monty replay --json` writes; `monty report` reads it."""

TRACE_EPILOG = f"""\
examples:
  monty trace experiment=test/evidence_lm/evidence_mujoco --out evidence{SUFFIX}
  monty trace --recording run{RECORDING_SUFFIX} --out run{SUFFIX}
  monty trace experiment=NAME --episodes :3 --side numba --out numba{SUFFIX}

exit status: 0 traced, 2 could not run, 130 interrupted
"""

REPLAY_EPILOG = f"""\
examples:
  monty replay evidence{SUFFIX}
  monty replay evidence{SUFFIX} --backend numba --against upstream --json out.json
  monty replay evidence{SUFFIX} --backend cuda --rounds 5
  monty replay evidence{SUFFIX} --backend null --no-compare

Times are of Monty's own work. Those of the first round, in which learning modules are
looked at after every step, stand only where there is no other.

exit status: 0 equal, 1 different, 2 could not run, 130 interrupted
"""


@dataclass(frozen=True)
class ReplayJob:
    """A replay of a trace on one side, as `workers.control.run_jobs` runs it.

    Attributes:
        side: The side.
        trace: The trace to replay.
        write: The recording of the results.
        look: Whether to read the state of learning modules after each step.
        rounds: How often to replay it again, for timing only.
        trust: Packages whose classes the trace may name.
        run: The run that the progress display reads.
    """

    side: Side
    trace: Path
    write: Path
    look: bool
    rounds: int
    trust: Sequence[str]

    run: ClassVar[Run] = Run("replay")
    module: ClassVar[str] = "trace.worker"

    def arguments(self) -> list[str]:
        return [
            f"--write={self.write}",
            f"--rounds={self.rounds}",
            "--look" if self.look else "--no-look",
            *(f"--trust={package}" for package in self.trust),
            "--",
            str(self.trace),
        ]


def replay_parser() -> Parser:
    """Returns the parser of the arguments after ``monty replay``."""
    parser = Parser(
        "monty replay",
        "Feeds a trace to learning modules: what sensor modules reported, "
        "votes and resets, without a simulator or an experiment. What the learning "
        "modules believe after each step is compared with the traced run, or, on a "
        "machine that rounds differently, with upstream there.",
        REPLAY_EPILOG,
        words="FILE",
    )
    parser.add_argument("trace", type=Path, metavar="FILE", help="the trace")
    parser.add_shared("--backend", "--tolerance", "--rounds")
    parser.add_argument(
        "--against",
        choices=(UPSTREAM, "reference"),
        help="replay it there too, round by round in turn, and compare the fork with "
        "that, not with the traced run",
    )
    parser.add_argument(
        "--no-compare",
        dest="compare",
        action="store_false",
        help="only time it: read and compare nothing",
    )
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="let the trace name classes of this package; may be repeated",
    )
    parser.add_shared("--json")
    return parser


def _trace_parser() -> Parser:
    parser = Parser(
        "monty trace",
        "Writes to one file what the learning modules of a run are made "
        "of, what they know, get and believe, step by step. The environment answers "
        "from a recording: one that is given, or one that is made first and kept.",
        TRACE_EPILOG,
        words="experiment=NAME [OVERRIDE ...]",
    )
    add_run(parser)
    parser.add_shared("--recording", "--trust", "--side", "--force")
    parser.add_shared("--out", required=True)
    return parser


def _trace(args: argparse.Namespace, paths: Paths) -> int:
    check_new(args.out, force=args.force)
    side = side_named(args.side, paths)
    with temporary_folder() as folder:
        run, recording = recorded(args, upstream_side(paths), paths, folder)
        within = tolerance_within(None, side, run.overrides)
        write = folder / f"traced{RECORDING_SUFFIX}"
        ending = feed(side, run, recording, write, within, trace=args.out)
    size = args.out.stat().st_size / 2**20
    with Recording(args.out, TRACE) as trace:
        print(f"{args.out}: {size:.1f} MiB, {summary(side.name, trace, ending)}")
    return EQUAL


def replay_main(args: argparse.Namespace, paths: Paths) -> int:
    """Runs ``monty replay`` with parsed arguments, and returns the exit status."""
    with (
        _opened(args.trace) as trace,
        temporary_folder() as folder,
        ExitStack() as opened,
    ):
        if not trace.complete:
            print(
                f"{args.trace}: the traced run was interrupted; this is what there is"
            )
        sides = [fork_side(paths, args.backend)]
        if args.against:
            sides.insert(0, side_named(args.against, paths))
            if sides[0].name == sides[1].name:
                raise Misused(
                    f"--against {args.against} would compare {sides[0].name} with "
                    "itself: choose another --backend"
                )
        jobs = [_job(args, side, folder / f"{i}") for i, side in enumerate(sides)]
        go(jobs, "replaying on", take_turns=True)
        replays = {
            job.side.name: opened.enter_context(Recording(job.write)) for job in jobs
        }
        times = {name: rounds_of(replay) for name, replay in replays.items()}
        ran = {name: _ran_where(replay) for name, replay in replays.items()}
        comparison = None
        if args.compare:
            # With `--against` not with the trace: on another machine upstream itself
            # may round differently.
            known = {"trace": trace, **replays}
            expected = sides[0].name if args.against else "trace"
            fork, within = sides[-1].name, tolerance_within(args.tolerance, sides[-1])
            comparison = compare(known[expected], known[fork], within)
            print(f"{show(comparison, expected, fork)}\n")
        print(f"{show_times(times)}\n")
        for name, where in ran.items():
            if where is not None:
                print(f"{name}: {where}")
        if args.json:
            comparisons = {} if comparison is None else {sides[-1].name: comparison}
            result = _result(trace, comparisons, times, ran)
            write_whole(args.json, json.dumps(result, indent=2) + "\n")
    return EQUAL if comparison is None or comparison.equal else DIFFERENT


def _job(args: argparse.Namespace, side: Side, write: Path) -> ReplayJob:
    return ReplayJob(
        side,
        args.trace.resolve(),
        write.with_suffix(RECORDING_SUFFIX),
        look=args.compare,
        rounds=args.rounds or 0,
        trust=args.trust,
    )


def _opened(path: Path) -> Recording:
    try:
        return Recording(path, TRACE)
    except NotARecording:
        try:
            Recording(path).close()
        except UnreadableRecording:
            pass
        else:
            raise Misused(
                f"{path} is a recorded run, not a trace: monty trace --recording "
                f"{path} --out FILE makes one of it"
            ) from None
        raise


def _ran_where(replayed: Recording) -> str | None:
    events = [e for e in replayed.events() if e["event"] == "ran"]
    # Of the last round: in the first one, whoever compares has read everything.
    return events[-1]["where"] if events else None


def _result(
    trace: Recording,
    comparisons: Mapping[str, Comparison],
    times: Mapping[str, Rounds],
    ran: Mapping[str, str | None],
) -> dict[str, Any]:
    return {
        **FORMAT,
        "trace": trace.manifest,
        "equal": all(c.equal for c in comparisons.values()) if comparisons else None,
        "sides": [
            {
                "side": side,
                "ran": ran.get(side),
                "times": summarize_times(times[side]),
                **(comparisons[side].as_dict() if side in comparisons else {}),
            }
            for side in times
        ],
    }


TRACE_COMMAND = Command(_trace_parser, _trace)
