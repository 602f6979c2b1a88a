# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The commands ``monty bench run``, ``lm-phase`` and ``vote``."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from ..arguments import (
    DIFFERENT,
    EQUAL,
    Command,
    Misused,
    Parser,
    is_trusted,
    positive,
    runnable,
)
from ..progress import progress_shown
from ..recording.tolerance import REFERENCE
from ..temporary import write_whole
from ..workers.sides import BACKEND_VARIABLE, Paths
from .agreement import Disagreement
from .groups import read_groups
from .measure import measure
from .real_run import read_recorded, time_runs
from .report import rows, run_rows, show, show_runs
from .settings import STEPS, Settings

__all__ = ["LM_PHASE", "RUN", "VOTE"]

Rows = list[dict[str, Any]]

FORMAT = {"format": "monty-bench", "format_version": 1}
"""Of the file that `--json` writes; `monty report` reads it."""

EPILOG = """\
examples:
{examples}
The ratio is the baseline's time by the side's in the same round: more is faster. Shown
are the median and the quartiles over the rounds.

exit status: 0 measured, 1 the sides did not do the same, 2 could not run
"""

LM_PHASE_EXAMPLES = """\
  monty bench lm-phase --proposed reference,numba --json lm_phase.json
  monty bench lm-phase --lms 5 --groups 0-1,2-4 --baseline numba --proposed cuda
  monty bench lm-phase --lms 2500 --share-objects --nodes 240-918 --baseline cuda
"""

VOTE_EXAMPLES = """\
  monty bench vote --votes 1000 --proposed reference,numba
"""

RUN_EXAMPLES = """\
  monty record experiment=NAME --episodes :3 --no-shadows --out run.rec.zip
  monty bench run --recording run.rec.zip --proposed reference,numba --json run.json
"""


def _lm_phase_parser() -> Parser:
    parser = _parser(
        "lm-phase",
        """\
Times the learning modules' phase of Monty's steps on synthetic objects. All sides get
the same memories and percepts, take turns, and must end in the same state: to the last
bit for upstream and reference, within 1e-9 for others.""",
        LM_PHASE_EXAMPLES,
    )
    _add_synthetic(parser, updater="burst_sampling")
    return parser


def _vote_parser() -> Parser:
    parser = _parser(
        "vote",
        """\
Times the votes of learning modules, on the objects of lm-phase: each sends hypotheses
to all others, and all add what they receive. The steps between are not timed. All sides
must end in the same state.""",
        VOTE_EXAMPLES,
    )
    _add_synthetic(parser, updater="default")
    parser.add_argument(
        "--votes",
        type=positive,
        default=300,
        metavar="N",
        help="votes that each learning module sends, about (default: 300)",
    )
    return parser


def _run_parser() -> Parser:
    parser = _parser(
        "run",
        """\
Times whole runs of an experiment, part by part, without a simulator and without reading
Monty's state. In every round, each side runs once, in a new process. All must act as
recorded: to the last bit for upstream and reference, within 1e-9 for others.""",
        RUN_EXAMPLES,
    )
    _add_sides(parser, rounds=3)
    parser.add_shared("--recording", required=True)
    parser.add_shared("--trust")
    return parser


def _parser(what: str, description: str, examples: str) -> Parser:
    return Parser(f"monty bench {what}", description, EPILOG.format(examples=examples))


def _add_sides(parser: Parser, rounds: int) -> None:
    parser.add_shared("--baseline")
    parser.add_shared("--proposed", type=_sides, default=(None,), metavar="SIDE,SIDE")
    parser.add_shared("--rounds", default=rounds)
    parser.add_shared("--json")


def _add_synthetic(parser: Parser, updater: str) -> None:
    _add_sides(parser, rounds=7)
    parser.add_shared("--lms", default=5)
    parser.add_shared("--objects", default=10)
    parser.add_shared("--nodes", default=(1600, 2000))
    parser.add_shared("--share-objects")
    parser.add_shared("--updater", default=updater)
    parser.add_shared("--steps")
    add = parser.add_argument
    add(
        "--neighbors",
        type=positive,
        default=10,
        metavar="N",
        help="nearest nodes that count",
    )
    add(
        "--threads",
        type=positive,
        metavar="N",
        help="threads of a compiled backend; 1 turns upstream's off, too",
    )
    add("--seed", type=int, default=0, metavar="N", help="of objects and percepts")
    add("--groups", metavar="GROUPS", help="'one', 'each', or ranges as in 0-1,2-4")


def _bench_runs(args: argparse.Namespace, paths: Paths) -> int:
    def bench() -> tuple[Rows, str]:
        trusted = is_trusted(args.recording)
        recorded = read_recorded(args.recording, trusted=trusted)
        timed = time_runs(_named(args), paths, recorded, args.rounds)
        found = run_rows(timed, recorded)
        return found, show_runs(found)

    return _benched("run", args, bench)


def _bench_lm_phase(args: argparse.Namespace, paths: Paths) -> int:
    args.votes = None
    return _benched("lm-phase", args, lambda: _synthetic("lm-phase", args, paths))


def _bench_votes(args: argparse.Namespace, paths: Paths) -> int:
    if args.lms < 2:
        raise Misused("--lms 1: votes need another learning module to go to")
    return _benched("vote", args, lambda: _synthetic("vote", args, paths))


def _benched(
    what: str, args: argparse.Namespace, bench: Callable[[], tuple[Rows, str]]
) -> int:
    """Shows and writes what a benchmark finds, and returns the exit status."""
    try:
        found, shown = bench()
    except Disagreement as error:
        print(f"monty bench: {error}", file=sys.stderr)
        return DIFFERENT
    if args.json is not None:
        stamped = {**FORMAT, "benchmark": what, "rows": found}
        write_whole(args.json, json.dumps(stamped, indent=1) + "\n")
    print(shown)
    return EQUAL


def _synthetic(what: str, args: argparse.Namespace, paths: Paths) -> tuple[Rows, str]:
    settings = Settings(
        lms=args.lms,
        objects=args.objects,
        updater=args.updater,
        steps=args.steps or STEPS[args.updater],
        neighbors=args.neighbors,
        threads=args.threads,
        seed=args.seed,
        nodes=args.nodes,
        shares_objects=args.share_objects,
        groups=None if args.groups is None else read_groups(args.groups, args.lms),
        votes=args.votes,
    )
    names = _named(args)
    done, total = itertools.count(1), (args.rounds + 1) * len(names) + 1
    with progress_shown(what) as show_progress:

        def advance(doing: str) -> None:
            show_progress(next(done), total, doing)

        measured = measure(names, paths, settings, args.rounds, advance)
    found = rows(measured, settings)
    return found, show(found)


def _named(args: argparse.Namespace) -> tuple[str, ...]:
    """Returns the baseline and the other sides, each once."""
    chosen = os.environ.get(BACKEND_VARIABLE) or REFERENCE
    proposed = (one or chosen for one in args.proposed)
    return tuple(dict.fromkeys((args.baseline, *proposed)))


def _sides(text: str) -> tuple[str, ...]:
    names = tuple(runnable(name.strip()) for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name")
    return names


LM_PHASE = Command(_lm_phase_parser, _bench_lm_phase)
VOTE = Command(_vote_parser, _bench_votes)
RUN = Command(_run_parser, _bench_runs)
