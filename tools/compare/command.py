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
from .judge import Tolerances
from .markdown import markdown
from .plan import Settings, needs_workers, plans
from .report import Report, show, to_json
from .sources import FolderOfResults, RunningSide, Source
from .suites import SUITES, experiments_of
from .work import Work

__all__ = ["COMPARE"]

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
    folders = [one for one in (args.baseline, args.proposed) if one and is_folder(one)]
    if args.proposed_override and args.proposed in folders:
        raise Misused(f"--proposed-override: {args.proposed} holds results already")
    with contextlib.ExitStack() as stack:
        if {args.baseline, args.proposed} - {*folders}:  # something will run
            stack.enter_context(locked(args.out / ".lock", _say_waiting))
        return _compare(args, experiments, folders, paths)


def _compare(
    args: argparse.Namespace,
    experiments: Sequence[str],
    folders: Sequence[str],
    paths: Paths,
) -> int:
    baseline, proposed = _sources(args, experiments, folders, paths)
    report = Report(
        baseline.name,
        proposed.name,
        Tolerances(args.tolerance, args.time_tolerance),
        _measured(args.workers, folders),
    )
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


def _sources(
    args: argparse.Namespace,
    experiments: Sequence[str],
    folders: Sequence[str],
    paths: Paths,
) -> list[Source]:
    overrides = tuple(
        word
        for word in args.words
        if "=" in word and not word.startswith("experiment=")
    )
    asked = {
        "baseline": (args.baseline, overrides),
        "proposed": (args.proposed, (*overrides, *args.proposed_override)),
    }
    running = {
        role: (side_named(text, paths), overrides)
        for role, (text, overrides) in asked.items()
        if text not in folders
    }
    settings = Settings(args.episodes, args.workers)
    planned = plans(list(running.values()), experiments, settings)
    if any(needs_workers(plan) for one in planned for plan in one.values()):
        imported_ray(LOCAL)  # which fails now rather than once per experiment
    sources: dict[str, Source] = {
        role: RunningSide(side, paths, (args.out / role).resolve(), plan)
        for (role, (side, _)), plan in zip(running.items(), planned, strict=True)
    }
    for role, (text, _) in asked.items():
        if role not in sources:
            may_be_one = len(experiments) == 1
            sources[role] = FolderOfResults(Path(text), may_be_one=may_be_one)
    return [sources[role] for role in asked]


def _measured(workers: int, folders: Sequence[str]) -> str:
    """Returns how the times were measured, in words."""
    if folders:
        return "Times in a folder of results are those of the runs that wrote it."
    at_a_time = f"up to {workers} at a time" if workers > 1 else "one by one"
    return f"Times: the sides ran one after the other, their episodes {at_a_time}."


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
