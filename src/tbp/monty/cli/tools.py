# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The commands that `monty_tools` provides: the fork beside upstream.

Each imports its tool when it is run, so that other commands do not wait for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Sequence

import tbp.monty
from tbp.monty.backends.registry import known_backends
from tbp.monty.cli.backend_option import (
    check_backend,
    check_side_among,
    choose_backend,
    choose_backend_among,
)

if TYPE_CHECKING:
    from monty_tools.workers.sides import Paths

__all__ = [
    "bench",
    "compare",
    "parity",
    "paths",
    "plan",
    "record",
    "replay",
    "report",
    "run_parallel",
    "trace",
]


def parity(arguments: Sequence[str]) -> int:
    """Compare the fork with upstream on an experiment.

    Returns:
        The exit status.
    """
    choose_backend_among(arguments, prog="monty parity")

    from monty_tools.parity.command import parity_main  # noqa: PLC0415

    return parity_main(arguments, paths=paths())


def run_parallel(arguments: Sequence[str]) -> int:
    """Run the episodes of an experiment on many workers.

    Returns:
        The exit status.
    """
    if not any(word.startswith("--ray") for word in arguments):
        # On a cluster, the workers' machines decide what can be used.
        choose_backend_among(arguments, prog="monty run-parallel")

    from monty_tools.parallel.command import run_parallel_main  # noqa: PLC0415

    return run_parallel_main(arguments, paths=paths(upstream=False))


def record(arguments: Sequence[str]) -> int:
    """Record an experiment with its observations.

    Returns:
        The exit status.
    """
    check_side_among(arguments, prog="monty record")

    from monty_tools.parity.command import record_main  # noqa: PLC0415

    return record_main(arguments, paths=paths())


def trace(arguments: Sequence[str]) -> int:
    """Trace the inputs and beliefs of a run's learning modules.

    Returns:
        The exit status.
    """
    check_side_among(arguments, prog="monty trace")

    from monty_tools.trace.command import trace_main  # noqa: PLC0415

    return trace_main(arguments, paths=paths())


def replay(arguments: Sequence[str]) -> int:
    """Feed a trace to learning modules.

    Returns:
        The exit status.
    """
    from monty_tools.trace.absent import stand_in_for_absent  # noqa: PLC0415

    absent = stand_in_for_absent()
    if absent:
        print(f"not installed here, and not needed to replay: {', '.join(absent)}")

    from monty_tools.trace.command import replay_main, replay_parser  # noqa: PLC0415
    from monty_tools.workers.sides import UPSTREAM  # noqa: PLC0415

    parser = replay_parser()
    options = parser.parse_intermixed_args(arguments)
    choose_backend(parser, options.backend)
    # Fetching upstream needs the network, which a machine with a GPU may not have.
    return replay_main(options, paths=paths(upstream=options.against == UPSTREAM))


def bench(arguments: Sequence[str]) -> int:
    """Time backends beside upstream.

    Returns:
        The exit status.
    """
    from monty_tools.bench.command import bench_main, bench_parser  # noqa: PLC0415
    from monty_tools.workers.sides import UPSTREAM  # noqa: PLC0415

    parser = bench_parser()
    options = parser.parse_args(arguments)
    for name in options.backends:
        if name != UPSTREAM:
            check_backend(parser, name)
    return bench_main(options, paths=paths(upstream=UPSTREAM in options.backends))


def compare(arguments: Sequence[str]) -> int:
    """Compare benchmark experiments of two sides.

    Returns:
        The exit status.
    """
    from monty_tools.compare.command import (  # noqa: PLC0415
        compare_main,
        compare_parser,
    )
    from monty_tools.workers.sides import UPSTREAM  # noqa: PLC0415

    parser = compare_parser()
    options = parser.parse_intermixed_args(arguments)
    named = {UPSTREAM, None, *known_backends()}
    sides = {options.baseline, options.proposed}
    folders = {one for one in sides - named if "/" in one or Path(one).is_dir()}
    for backend in sides - folders - {UPSTREAM}:
        check_backend(parser, backend)
    needed = paths(upstream=UPSTREAM in sides)
    return compare_main(options, folders=folders, paths=needed)


def plan(arguments: Sequence[str]) -> int:
    """Say what an experiment will ask of a machine.

    Returns:
        The exit status.
    """
    from monty_tools.plan.command import plan_main  # noqa: PLC0415

    return plan_main(arguments)


def report(arguments: Sequence[str]) -> int:
    """Write a page about profiles, benchmarks and comparisons.

    Returns:
        The exit status.
    """
    from monty_tools.report.command import report_main  # noqa: PLC0415

    return report_main(arguments)


def paths(*, upstream: bool = True) -> Paths:
    """Return the paths of upstream, of this fork and of cached recordings.

    Args:
        upstream: Whether upstream will be run; it is fetched if need be.
    """
    from monty_tools.workers.sides import Paths  # noqa: PLC0415

    fork_root = Path(tbp.monty.__file__).parents[2]
    if not upstream:
        return Paths(upstream_root=None, fork_root=fork_root, cache=None)

    from monty_tools.refactor.layout import build_folder  # noqa: PLC0415
    from monty_tools.refactor.upstream import obtain  # noqa: PLC0415

    return Paths(
        upstream_root=obtain().import_root,
        fork_root=fork_root,
        cache=build_folder() / "recordings",
    )
