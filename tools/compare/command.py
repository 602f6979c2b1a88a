# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The command ``monty compare``."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from ..arguments import (
    DIFFERENT,
    EQUAL,
    SHARED,
    Command,
    Misused,
    Parser,
    is_folder,
    writable_file,
)
from ..ending import plain
from ..guard import UNABLE, Failed
from ..locking import locked
from ..machine import cores
from ..parallel.asked import LOCAL
from ..parallel.cluster import imported_ray
from ..temporary import write_whole
from ..workers.sides import Paths, side_named
from .figures import Tolerances
from .report import Report, markdown, show, to_json
from .runs import Asked, plan
from .sources import FolderOfResults, RunningSide, Source
from .suites import SUITES, experiments_of
from .work import Work

__all__ = ["COMPARE"]

ROLES = ("baseline", "proposed")

DESCRIPTION = """\
Runs benchmark experiments on two sides and compares what upstream's reviewers look at:
one table per experiment. A side is upstream, a backend of the fork, or a folder of
results of earlier runs. The sides run one after the other, with the same runner.
"""

EPILOG = """\
examples:
  monty compare --suite ycb_10objs_mujoco --markdown table.md
  monty compare test/eval_mujoco experiment.config.do_train=false --proposed numba
  monty compare --suite my_experiments.txt --baseline numba --proposed cuda
  monty compare --suite ycb_77objs_mujoco --baseline compare-results/baseline
  monty compare --list-suites

The results are kept in --out. The same command goes on where it was interrupted, and
--baseline OUT/baseline compares them with something else.

exit status: 0 same results, 1 different results (times do not count), 2 an experiment
failed or none could be compared, 130 interrupted
"""


def _parser() -> Parser:
    parser = Parser(
        "monty compare", DESCRIPTION, EPILOG, words="[EXPERIMENT ...] [OVERRIDE ...]"
    )
    add = parser.add_argument
    add(
        "words",
        nargs="*",
        metavar="EXPERIMENT|OVERRIDE",
        help="names of experiments, and Hydra overrides (key=value) for both sides",
    )
    add(
        "--suite",
        action="append",
        default=[],
        metavar="NAME|FILE",
        help="upstream's benchmarks, or a file of experiments; may be repeated",
    )
    add("--list-suites", action=_ListSuites, nargs=0, help="list them, and exit")
    folder = "; or a folder of results"
    for side in ("--baseline", "--proposed"):
        parser.add_shared(side, type=str, help=SHARED[side]["help"] + folder)
    add(
        "--proposed-override",
        action="append",
        default=[],
        metavar="OVERRIDE",
        help="a Hydra override for the proposed side only; may be repeated",
    )
    parser.add_shared("--episodes")
    parser.add_shared("--workers", default=cores())
    parser.add_shared("--tolerance", default=Tolerances.results)
    add(
        "--time-tolerance",
        type=SHARED["--tolerance"]["type"],
        default=Tolerances.times,
        metavar="T",
        help="the same of times, relative (default: 0.1)",
    )
    parser.add_shared("--out", default=Path("compare-results"))
    parser.add_shared("--json", "--trust")
    add("--markdown", type=writable_file, metavar="FILE", help="write the tables here")
    return parser


class _ListSuites(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        for suite, names in SUITES.items():
            print(suite, *(f"  {name}" for name in names), sep="\n")
        parser.exit()


def _main(args: argparse.Namespace, paths: Paths) -> int:
    words = [word.removeprefix("experiment=") for word in args.words]
    experiments = experiments_of(args.suite, [one for one in words if "=" not in one])
    sides = (args.baseline, args.proposed)
    folders = [one for one in sides if one and is_folder(one)]
    if args.proposed_override and args.proposed in folders:
        raise Misused(f"--proposed-override: {args.proposed} holds results already")
    with contextlib.ExitStack() as stack:
        if {*sides} - {*folders}:  # something will run
            stack.enter_context(locked(args.out / ".lock", _say_waiting))
        if folders:
            times = "Times in a folder of results are those of the runs that wrote it."
        else:
            many = args.workers > 1
            how = f"up to {args.workers} at a time" if many else "one by one"
            times = f"Times: the sides ran one after the other, their episodes {how}."
        sources = [_source(role, args, experiments, paths) for role in ROLES]
        return _compare(args, experiments, sources, times)


def _source(
    role: str, args: argparse.Namespace, experiments: Sequence[str], paths: Paths
) -> Source:
    text = getattr(args, role)
    if text is not None and is_folder(text):
        return FolderOfResults(Path(text), may_be_one=len(experiments) == 1)
    overrides = [one for one in args.words if "=" in one]
    overrides = [one for one in overrides if not one.startswith("experiment=")]
    overrides += args.proposed_override if role == "proposed" else []
    side = side_named(text, paths)
    plans = plan(side, experiments, tuple(overrides), args.episodes, args.workers)
    asked = [one for one in plans.values() if isinstance(one, Asked)]
    if not all(one.in_one_process for one in asked):
        imported_ray(LOCAL)  # which fails now rather than once per experiment
    return RunningSide(side, paths, (args.out / role).resolve(), plans)


def _compare(
    args: argparse.Namespace,
    experiments: Sequence[str],
    sources: Sequence[Source],
    times: str,
) -> int:
    baseline, proposed = sources
    tolerances = Tolerances(args.tolerance, args.time_tolerance)
    report = Report(baseline.name, proposed.name, tolerances, times)
    work = Work(baseline, proposed, report)
    todo = work.left_to_do(experiments)
    for one in report.left_out:
        print(plain(f"left out: {one.name}: {one.reason}"), file=sys.stderr)
    try:
        for _ in work.do(todo):
            _write(args, report)
    except KeyboardInterrupt:
        work.leave_out_rest(todo, "the command was interrupted")
        raise
    finally:
        _write(args, report)
        print(show(report))
    if not report.compared:
        raise Failed("no experiment could be compared")
    if work.failed:
        return UNABLE
    return EQUAL if all(one.is_equal for one in report.compared) else DIFFERENT


def _write(args: argparse.Namespace, report: Report) -> None:
    written = {}
    if args.markdown:
        written[args.markdown] = markdown(report)
    if args.json:
        written[args.json] = json.dumps(to_json(report), indent=1, allow_nan=False)
    for file, text in written.items():
        write_whole(file, text)


def _say_waiting() -> None:
    print("waiting for another command that uses the same --out", file=sys.stderr)


COMPARE = Command(_parser, _main)
