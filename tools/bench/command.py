# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The command ``monty bench``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..arguments import DIFFERENT, EQUAL, add_json, add_trust, node_range, positive
from ..temporary import write_whole
from ..workers.sides import UPSTREAM, Paths
from .agreement import Disagreement
from .groups import read_groups
from .measure import measure
from .real_run import read_recorded, time_runs
from .report import rows, show
from .run_report import run_rows, show_runs
from .settings import STEPS, UPDATERS, Settings
from .side import CouldNotBench

__all__ = ["bench_main", "bench_parser"]

Rows = list[dict[str, Any]]

FORMAT = {"format": "monty-bench", "format_version": 1}
"""Of the file that `--json` writes; `monty report` reads it."""

LM_PHASE = """\
Times the learning modules' phase of Monty's steps, from the first learning module's
input to the last one's result, on synthetic objects: closed surfaces with normals,
principal curvatures and colours. All sides get the same memories and percepts, take
turns in one run, and must end in the same state: to the last bit for upstream and
reference, within 1e-9 for others.
"""

VOTE = """\
Times the votes of learning modules: each sends hypotheses to all others, and all add
what they receive to their evidence. The steps between are not timed. Objects and
percepts are those of lm-phase, and all sides must end in the same state here, too.
"""

VOTE_EPILOG = """\
examples:
  monty bench vote --lms 5 --objects 10
  monty bench vote --votes 1000 --backends upstream,reference,numba

exit status: 0 measured, 1 the sides did not do the same, 2 could not run,
130 interrupted
"""

RUN = """\
Times whole runs of an experiment, phase by phase. A recording answers in place of the
environment, so nothing is rendered, and nobody reads Monty's state while it runs. In
every round, each side runs once, in a new process. All must act as recorded: to the
last bit for upstream and reference, within 1e-9 for others.
"""

RUN_EPILOG = """\
examples:
  monty record experiment=NAME --episodes :3 --no-shadows --out run.rec.zip
  monty bench run --recording run.rec.zip --backends upstream,reference,numba
  monty bench run --recording run.rec.zip --rounds 7 --json run.json

The ratio is upstream's time by the side's in the same round: more is faster. Shown
are the median and the quartiles over the rounds.

exit status: 0 measured, 1 a side did not act as recorded, 2 could not run,
130 interrupted
"""

EPILOG = """\
examples:
  monty bench lm-phase --lms 5 --objects 10 --updater default
  monty bench lm-phase --backends upstream,reference,numba --json lm_phase.json
  monty bench lm-phase --lms 1 --objects 40 --threads 1 --rounds 15
  monty bench lm-phase --lms 5 --groups 0-1,2-4 --backends upstream,numba
  monty bench lm-phase --lms 2500 --share-objects --nodes 240-918 --backends cuda

The ratio is upstream's time by the side's in the same round, over whole episodes: more
is faster. Shown are the median and the quartiles over the rounds. Upstream runs one
thread per object, unless --threads 1.

exit status: 0 measured, 1 the sides did not do the same, 2 could not run,
130 interrupted
"""


def bench_parser() -> argparse.ArgumentParser:
    """Return the parser of what follows ``monty bench``."""
    parser = argparse.ArgumentParser(
        prog="monty bench", description="Times upstream and the fork's backends."
    )
    what = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    lm_phase = what.add_parser(
        "lm-phase",
        help="the learning modules' phase",
        description=LM_PHASE,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_options(lm_phase, updater="burst_sampling")
    lm_phase.set_defaults(votes=None, bench=_bench_synthetic)
    vote = what.add_parser(
        "vote",
        help="the votes of learning modules",
        description=VOTE,
        epilog=VOTE_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_options(vote, updater="default")
    vote.add_argument(
        "--votes",
        type=positive,
        default=300,
        metavar="N",
        help="votes that each learning module sends, about (default: 300)",
    )
    vote.set_defaults(bench=_bench_synthetic)
    run = what.add_parser(
        "run",
        help="whole runs from a recording",
        description=RUN,
        epilog=RUN_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_run_options(run)
    run.set_defaults(bench=_bench_runs)
    return parser


def _add_options(parser: argparse.ArgumentParser, updater: str) -> None:
    """Add the options of benchmarks on synthetic objects."""
    add = parser.add_argument
    add("--lms", type=positive, default=5, metavar="N", help="learning modules")
    add("--objects", type=positive, default=10, metavar="N", help="known objects")
    add("--updater", choices=UPDATERS, default=updater, help="hypotheses updater")
    add(
        "--steps",
        type=positive,
        metavar="N",
        help="steps of an episode (default: 40 for burst_sampling, 10 for default)",
    )
    add("--neighbors", type=positive, default=10, metavar="N", help="nearest nodes")
    add(
        "--threads",
        type=positive,
        metavar="N",
        help="threads of a compiled backend (NUMBA_NUM_THREADS); 1 turns upstream's "
        "threads off too (default: as many as the machine has)",
    )
    _add_measuring(parser, rounds=7, names=_names)
    add("--seed", type=int, default=0, metavar="N", help="of objects and percepts")
    add(
        "--nodes",
        type=node_range,
        default=(1600, 2000),
        metavar="N|MIN-MAX",
        help="nodes of an object (default: 1600-2000)",
    )
    add(
        "--share-objects",
        action="store_true",
        help="all learning modules have the same nodes of an object, so that "
        "thousands of them are made in seconds",
    )
    add(
        "--groups",
        metavar="GROUPS",
        help="learning modules that a backend may run as one: 'one' group of all, "
        "'each' on its own, or ranges as in 0-1,2-4; upstream has no groups (default: "
        "learning modules with the same computation form a group)",
    )


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark of whole runs."""
    parser.add_argument(
        "--recording",
        type=Path,
        required=True,
        metavar="FILE",
        help="the run to repeat, made by monty record",
    )
    add_trust(parser)
    _add_measuring(parser, rounds=3, names=_names_with_upstream)


def _add_measuring(
    parser: argparse.ArgumentParser,
    rounds: int,
    names: Callable[[str], tuple[str, ...]],
) -> None:
    """Add the options of all benchmarks."""
    add = parser.add_argument
    add(
        "--rounds",
        type=positive,
        default=rounds,
        metavar="N",
        help=f"rounds per side (default: {rounds})",
    )
    add(
        "--backends",
        type=names,
        default=("upstream", "reference"),
        metavar="NAMES",
        help="upstream, and backends of the fork (default: upstream,reference)",
    )
    add_json(parser, "the rows")


def bench_main(args: argparse.Namespace, *, paths: Paths) -> int:
    """Runs ``monty bench`` with parsed arguments, and returns the exit status."""
    try:
        found, shown = args.bench(args, paths)
    except Disagreement as error:
        print(f"monty bench: {error}", file=sys.stderr)
        return DIFFERENT
    if args.json is not None:
        stamped = {**FORMAT, "benchmark": args.what, "rows": found}
        write_whole(args.json, json.dumps(stamped, indent=1) + "\n")
    print(shown)
    return EQUAL


def _bench_runs(args: argparse.Namespace, paths: Paths) -> tuple[Rows, str]:
    recorded = read_recorded(args.recording, trusted=args.trust_recording)
    found = run_rows(time_runs(args.backends, paths, recorded, args.rounds), recorded)
    return found, show_runs(found)


def _bench_synthetic(args: argparse.Namespace, paths: Paths) -> tuple[Rows, str]:
    if args.votes is not None and args.lms < 2:
        raise CouldNotBench("--lms 1: votes need another learning module to go to")
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
    with tqdm(
        total=(args.rounds + 1) * len(args.backends) + 1,
        desc=args.what,
        unit="episode",
        leave=False,
        disable=not sys.stderr.isatty(),
    ) as bar:

        def advance(done: str) -> None:
            bar.set_postfix_str(done, refresh=False)
            bar.update()

        measured = measure(args.backends, paths, settings, args.rounds, advance)
    found = rows(measured, settings)
    return found, show(found)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name")
    if len(set(names)) < len(names):
        raise argparse.ArgumentTypeError(f"{text!r} names one twice")
    return names


def _names_with_upstream(text: str) -> tuple[str, ...]:
    names = _names(text)
    if UPSTREAM not in names:
        raise argparse.ArgumentTypeError(
            f"{text!r} lacks {UPSTREAM}, which the others are compared with"
        )
    return names
