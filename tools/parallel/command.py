# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The command ``monty run-parallel``."""

from __future__ import annotations

import argparse
import sys

from ..arguments import Command, Parser, experiment_of
from ..workers.sides import Paths
from .asked import LOCAL, Failure, ParallelRun
from .driver import run_parallel

__all__ = ["FAILED_EPISODES", "RUN_PARALLEL"]

FAILED_EPISODES = 3
"""Exit status of a run in which some episodes have no result."""

EPILOG = """\
examples:
  monty run-parallel experiment=test/eval_mujoco --workers 2
  monty run-parallel experiment=NAME --episodes 0:12 --backend numba
  monty run-parallel experiment=NAME --ray auto --workers 64 --episode-timeout 600
  monty run-parallel experiment=NAME --resume

exit status: 0 done, 2 could not run, 3 some episodes failed, 130 interrupted,
143 terminated
"""


def _run_parallel(args: argparse.Namespace, paths: Paths) -> int:
    result = run_parallel(_asked(args), paths)
    for failure in result.failures:
        print(_report(failure), file=sys.stderr)
    if result.workers:
        print(
            f"{result.folder}: {result.finished} episodes, {len(result.failures)} "
            f"failed, {result.seconds:.0f} s"
        )
    return FAILED_EPISODES if result.failures else 0


def _parser() -> Parser:
    parser = Parser(
        "monty run-parallel",
        """\
Runs the episodes of an experiment in parallel, on this machine or on a Ray cluster, and
writes the files of upstream's parallel runner.""",
        EPILOG,
        words="experiment=NAME [OVERRIDE ...]",
    )
    parser.add_experiment()
    parser.add_shared("--backend", "--workers", "--episodes", "--trust")
    parser.add_argument(
        "--ray",
        default=LOCAL,
        metavar="ADDRESS",
        help="local starts Ray here; auto or an address joins a cluster (default: "
        "local)",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with this run if it was ended; other results are refused",
    )
    parser.add_argument(
        "--retries",
        type=_not_negative,
        default=2,
        metavar="N",
        help="how often an episode is tried again that was lost (default: 2)",
    )
    parser.add_argument(
        "--episode-timeout",
        type=_more_than_zero,
        metavar="SECONDS",
        help="end an episode that takes longer, and try it again",
    )
    parser.add_argument(
        "--gpus-per-worker",
        type=_more_than_zero,
        metavar="SHARE",
        help="the GPUs of a worker (default: what its memory needs)",
    )
    return parser


def _asked(args: argparse.Namespace) -> ParallelRun:
    experiment, overrides = experiment_of(args.overrides)
    return ParallelRun(
        experiment=experiment,
        overrides=overrides,
        backend=args.backend,
        workers=args.workers,
        episodes=args.episodes,
        ray=args.ray,
        resume=args.resume,
        retries=args.retries,
        episode_timeout=args.episode_timeout,
        gpus_per_worker=args.gpus_per_worker,
    )


def _report(failure: Failure) -> str:
    details = "".join(f"    {line}\n" for line in failure.details.splitlines())
    return f"{failure.name}: {failure.reason}\n{details}"


def _not_negative(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is not 0 or more")
    return number


def _more_than_zero(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not more than 0")
    return number


RUN_PARALLEL = Command(_parser, _run_parallel)
