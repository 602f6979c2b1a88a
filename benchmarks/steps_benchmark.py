# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a step of the series brings: the fork without it, beside the fork as it is.

``python -m benchmarks.steps_benchmark --recording run.rec.zip``
"""

from __future__ import annotations

import argparse
import inspect
import json
import multiprocessing
import os
import resource
import shlex
import statistics
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from monty_tools import child
from monty_tools.arguments import Misused, Parser, is_trusted, positive
from monty_tools.bench.measure import turns
from monty_tools.bench.ratio import quartiles
from monty_tools.bench.real_run import check_end, read_recorded
from monty_tools.ending import CouldNotRun
from monty_tools.guard import guarded, without_debug
from monty_tools.recording.cache import SUFFIX
from monty_tools.recording.file import Recording
from monty_tools.recording.stopwatch import CPU, WHOLE
from monty_tools.recording.times import rounds_of
from monty_tools.recording.tolerance import TOLERANCE
from monty_tools.refactor.failures import RefactorFailed, SeriesRefused
from monty_tools.refactor.fork import make_fork
from monty_tools.refactor.layout import build_folder, checkout
from monty_tools.refactor.series import PARTS, SERIES
from monty_tools.refactor.step import Step
from monty_tools.table import table
from monty_tools.temporary import temporary_folder, write_whole
from monty_tools.workers.control import Job, run_jobs
from monty_tools.workers.sides import BACKEND_VARIABLE, Paths, Side, fork_side

__all__ = ["compared", "lines_owned", "main", "steps_by_name", "verdict"]

Times = Sequence[Mapping[str, float]]
"""Seconds by the wall's clock and by the processors', in each round."""

CLOCKS = {"wall": WHOLE, "cpu": CPU}
LINES = ("step", "overlay", "tests")

OPTIONAL_PARTS = ("fork", "perf")
NOTHING = "nothing"
"""Leaves no step out: what it seems to cost is how far the figures can be trusted."""

WORTH_PERCENT = 2.0

DESCRIPTION = """\
Leaves out one step of the series at a time, and times the fork without it beside the
fork as it is. Of a recorded run, Monty's time counts: both sides are warm processes
that take turns, step by step, and must act as recorded. Of a command, all of it counts:
both sides are new processes in every round. A first round of each does not count.
"""

EPILOG = f"""\
examples:
  python -m benchmarks.steps_benchmark --recording run.rec.zip --steps clip_number
  python -m benchmarks.steps_benchmark --recording a.rec.zip --recording b.rec.zip \\
      --at-once 4 --rounds 7 --json steps.json
  python -m benchmarks.steps_benchmark --command 'experiment=NAME' --rounds 5

cost: median over the rounds of how much longer it takes without the step, in percent
CPU: the same of the processor seconds, of all threads
lines: of the step and the codemods that it alone uses; of its overlay; of their tests
verdict: a step stays if leaving it out costs {WORTH_PERCENT:g} % or more of one run

exit status: 0 measured, 2 could not run, 130 interrupted
"""


def steps_by_name() -> dict[str, Step]:
    """Return the steps that may be left out, by the names of their modules."""
    return {step.name: step for part in OPTIONAL_PARTS for step in PARTS[part]}


def lines_owned(name: str, step: Step, series: Sequence[Step]) -> dict[str, int]:
    """Return how many lines would go with a step: what no other step of a series has.

    Args:
        name: The name of its module.
        step: The step.
        series: All steps.
    """
    root = checkout()
    assert root is not None
    others = [one for one in series if one is not step]
    used = {type(rewrite.codemod) for one in others for rewrite in one.rewrites}
    codemods = {type(rewrite.codemod) for rewrite in step.rewrites} - used
    overlay = set(step.overlay).difference(*(one.overlay for one in others))
    listed = set(step.tests).difference(*(one.tests for one in others))
    tests = {root / "tests" / file for file in listed}
    for module in (name, *overlay):
        tests.update((root / "tests").rglob(f"{Path(module).stem}_test.py"))
    own = root / "tools/refactor/steps" / f"{name}.py"
    files = (
        [own, *(Path(inspect.getfile(codemod)) for codemod in codemods)],
        [root / "src/tbp/monty" / file for file in overlay],
        tests,
    )
    return {
        kind: sum(len(path.read_text("utf-8").splitlines()) for path in paths)
        for kind, paths in zip(LINES, files, strict=True)
    }


def compared(run: str, as_is: Times, without: Times) -> dict[str, Any]:
    """Return what leaving a step out costs in a run, by both clocks, in percent."""
    found: dict[str, Any] = {"run": run}
    for name, clock in CLOCKS.items():
        seconds = {
            "as_is_s": [one[clock] for one in as_is],
            "without_s": [one[clock] for one in without],
        }
        costs = [100 * (b / a - 1) for a, b in zip(*seconds.values(), strict=True)]
        found[name] = {
            "cost_percent": statistics.median(costs),
            "quartiles_percent": quartiles(costs),
            **seconds,
        }
    return found


def verdict(name: str, runs: Sequence[Mapping[str, Any]]) -> str:
    """Return whether a step stays, by the rule, and what it costs in which run."""
    most = max(runs, key=lambda run: run["wall"]["cost_percent"])
    cost = most["wall"]["cost_percent"]
    word = "stays" if cost >= WORTH_PERCENT else "goes"
    return f"{'noise' if name == NOTHING else word}: {cost:.1f} % ({most['run']})"


def measure(name: str, args: argparse.Namespace) -> dict[str, Any]:
    """Return the row of a step, or of `NOTHING`."""
    step = steps_by_name().get(name)
    lines = dict.fromkeys(LINES, 0)
    if step is not None:
        lines = lines_owned(name, step, SERIES)
    row: dict[str, Any] = {
        "step": name,
        "title": step and step.title,
        "lines": lines,
        "runs": [],
    }
    try:
        root = make_fork(target=build_folder() / "without" / name, without=step)
        sides = [
            _side(make_fork(), "the fork as it is", args.backend),
            _side(root, f"the fork without {name}", args.backend),
        ]
        runs = [
            compared(file.name, *_time_recorded(sides, file, args.rounds))
            for file in args.recording
        ]
        runs += [
            compared(words, *_time_command(sides, words, args.rounds))
            for words in args.command
        ]
    except SeriesRefused as refused:
        reason = f"the step {refused.steps[0]!r} builds on it"
    except (RefactorFailed, CouldNotRun) as problem:
        reason = textwrap.shorten(str(problem), 160)
    else:
        return {**row, "runs": runs, "verdict": verdict(name, runs)}
    return {**row, "verdict": f"cannot be left out alone: {reason}"}


def _side(root: Path, name: str, backend: str) -> Side:
    side = fork_side(Paths(None, root, None), backend)
    return replace(side, name=name, env={**side.env, "PYTHONPATH": str(root)})


def _time_recorded(sides: Sequence[Side], file: Path, rounds: int) -> list[Times]:
    recorded = read_recorded(file, trusted=True)
    with temporary_folder() as folder:
        jobs = [
            Job(
                side,
                recorded.run,
                folder / f"{i}{SUFFIX}",
                feed=recorded.path,
                tolerance=TOLERANCE,
                state=False,
                rounds=rounds + 1,
                in_turns=True,
            )
            for i, side in enumerate(sides)
        ]
        run_jobs(jobs, take_turns=True)
        times: list[Times] = []
        for job in jobs:
            with Recording(job.write) as timed:
                check_end(job.side.name, timed, recorded)
                times.append(list(map(_summed, rounds_of(timed))))
        return times


def _summed(times: Times) -> Mapping[str, float]:
    return {clock: sum(one[clock] for one in times) for clock in CLOCKS.values()}


def _time_command(sides: Sequence[Side], words: str, rounds: int) -> list[Times]:
    times: list[list[Mapping[str, float]]] = [[] for _ in sides]
    for i, number in turns(range(len(sides)), rounds + 1):
        seconds = _run_command(sides[number], words)
        if i:
            times[number].append(seconds)
    return list(times)


def _run_command(side: Side, words: str) -> dict[str, float]:
    # As a user starts it, with as many threads as libraries like.
    env = {**os.environ, "PYTHONPATH": side.env["PYTHONPATH"]}
    env[BACKEND_VARIABLE] = side.env[BACKEND_VARIABLE]
    command = [sys.executable, "-m", "tbp.monty.cli", "run", *shlex.split(words)]
    with temporary_folder() as folder:
        env["MONTY_LOGS"] = str(folder)
        began, cpu_began = time.perf_counter(), _cpu_of_children()
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        taken, cpu = time.perf_counter() - began, _cpu_of_children() - cpu_began
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise CouldNotRun(f"{side.name}: monty run {words}: {said[-1]}")
    return {WHOLE: taken, CPU: cpu}


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def show(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of the steps that were timed, and why others were not."""
    clocks = ("cost %", "quartiles", "s")
    header = ("step", "run", *clocks, "CPU: cost %", *clocks[1:], *LINES, "verdict")
    cells = [
        (
            *(row["step"], run["run"]),
            *(cell for clock in CLOCKS for cell in _clock_cells(run[clock])),
            *(str(row["lines"][kind]) for kind in LINES),
            row["verdict"],
        )
        for row in rows
        for run in row["runs"]
    ]
    others = [f"{row['step']}: {row['verdict']}" for row in rows if not row["runs"]]
    return "\n".join([*([table(header, cells)] if cells else []), *others])


def _clock_cells(found: Mapping[str, Any]) -> tuple[str, str, str]:
    low, high = found["quartiles_percent"]
    seconds = statistics.median(found["as_is_s"])
    return f"{found['cost_percent']:+.1f}", f"{low:+.1f}..{high:+.1f}", f"{seconds:.3f}"


def _parser() -> Parser:
    parser = Parser("python -m benchmarks.steps_benchmark", DESCRIPTION, EPILOG)
    add = parser.add_argument
    add(
        "--recording",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a run of 'monty record' to repeat; may be repeated",
    )
    parser.add_shared("--trust")
    add(
        "--command",
        action="append",
        default=[],
        metavar="WORDS",
        help="what follows 'monty run', in one string; may be repeated",
    )
    add(
        "--steps",
        nargs="+",
        choices=(NOTHING, *steps_by_name()),
        metavar="NAME",
        help=f"the steps to leave out, or {NOTHING} (default: all, and {NOTHING})",
    )
    add("--backend", default="numba", metavar="NAME", help="(default: %(default)s)")
    add(
        "--rounds",
        type=positive,
        default=7,
        metavar="N",
        help="rounds per step and run, 3 or more (default: %(default)s)",
    )
    add(
        "--at-once",
        type=positive,
        default=1,
        metavar="N",
        help="steps to work on at the same time, each on cores of its own",
    )
    parser.add_shared("--json")
    return parser


def _place_of_core(core: int) -> tuple[str, int]:
    """Returns a key by which the threads of one core lie beside each other."""
    siblings = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
    return (siblings.read_text().strip() if siblings.exists() else "", core)


def _pin(parent: int, sets: Any) -> None:
    if not child.end_with(parent):
        sys.exit()
    cores = sets.get()
    os.sched_setaffinity(0, cores)
    os.environ["NUMBA_NUM_THREADS"] = str(len(cores))


def _run(args: argparse.Namespace) -> int:
    if not args.recording and not args.command:
        raise Misused("nothing to time: name a --recording or a --command")
    if args.rounds < 3:
        raise Misused(f"--rounds {args.rounds}: fewer than 3 say nothing")
    args.recording = [
        read_recorded(path, trusted=is_trusted(path)).path for path in args.recording
    ]
    names = list(args.steps or (NOTHING, *steps_by_name()))
    as_is = _side(make_fork(say=print), "the fork as it is", args.backend)
    for file in args.recording:
        _time_recorded([as_is], file, 0)  # compiles kernels, and must be possible
    rows: list[dict[str, Any]] = []
    for row in _measured(names, args):
        print(f"{row['step']}: {row['verdict']}", file=sys.stderr)
        rows = sorted([*rows, row], key=lambda one: names.index(one["step"]))
        if args.json is not None:
            write_whole(args.json, json.dumps({"rows": rows}, indent=1) + "\n")
    print(show(rows))
    return 0


def _measured(
    names: Sequence[str], args: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yields the rows as they come; each process has cores of its own."""
    cores = sorted(os.sched_getaffinity(0), key=_place_of_core)
    if args.at_once > len(cores):
        raise Misused(f"--at-once {args.at_once}: there are {len(cores)} cores")
    context = multiprocessing.get_context("fork")
    sets = context.Queue()
    each = len(cores) // args.at_once
    for i in range(args.at_once):
        sets.put(cores[i * each : (i + 1) * each])
    with ProcessPoolExecutor(args.at_once, context, _pin, (os.getpid(), sets)) as pool:
        try:
            for done in as_completed([pool.submit(measure, n, args) for n in names]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)  # after an interrupt, too


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark, and return the exit status."""
    words, debug = without_debug(arguments)
    args = _parser().parse_args(words)
    return guarded("steps_benchmark", lambda: _run(args), debug=debug)


if __name__ == "__main__":
    sys.exit(main())
