# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The command ``monty plan``."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from tbp.monty.backends.cuda.settings import CudaSettings, InvalidSetting
from tbp.monty.backends.registry import (
    BackendUnavailable,
    UnknownBackend,
    load_backend,
)

from ..arguments import (
    Misused,
    add_experiment,
    add_json,
    experiment_of,
    node_range,
    positive,
)
from ..bench.settings import UPDATERS
from ..guard import Failed
from ..temporary import whole_file, write_whole
from . import calibration
from .demand import COUNTING, demand_of
from .placing import place
from .planned import Planned
from .report import Plan
from .synthetic import synthetic

__all__ = ["plan_main"]

DESCRIPTION = """\
Says beforehand what a Monty will ask for: groups of learning modules, backends,
launches, bytes, memory on a GPU, and the time of a step. It needs neither a GPU nor a
simulator: it runs steps of the backend cuda on a stand-in for a GPU that only counts.
"""

EPILOG = """\
examples:
  monty plan experiment=randrot_noise_10distinctobj_5lms_dist_agent_mujoco
  monty plan experiment=NAME --backend numba experiment.config.seed=7
  monty plan --lms 5 --objects 77
  monty plan --lms 2500 --objects 10 --nodes 580 --share-objects --json plan.json
  monty plan --calibrate rows.json --machine "two Xeon cores" --calibration mine.json
  monty plan --lms 5 --objects 77 --backend numba --calibration mine.json

exit status: 0 planned, 2 could not plan, 130 interrupted
"""


def plan_main(arguments: Sequence[str]) -> int:
    """Runs ``monty plan``, and returns the exit status."""
    parser = _parser()
    args = parser.parse_intermixed_args(arguments)
    if args.calibrate:
        if args.machine is None or args.calibration is None:
            parser.error("--calibrate needs --machine NAME and --calibration FILE")
        return _calibrate(args)
    if args.lms or args.objects:
        if args.overrides or not (args.lms and args.objects):
            parser.error("name an experiment, or give both --lms and --objects")
    else:
        try:
            experiment_of(args.overrides)
        except Misused:
            parser.error("name one experiment, or give --lms and --objects")
    try:
        with contextlib.suppress(BackendUnavailable):  # it need not be here
            load_backend(args.backend)
        real = CudaSettings.from_environment().real
    except (UnknownBackend, InvalidSetting) as problem:
        parser.error(str(problem))
    return _plan(args, real)


def _plan(args: argparse.Namespace, real: np.dtype) -> int:
    measured = calibration.read(args.calibration or calibration.BUILT_IN)
    planned = _planned(args)
    placing = place(planned, args.backend)
    can_run = planned.without(placing.refused.get(args.backend, ()))
    is_gpu = args.backend in COUNTING
    demand = demand_of(can_run, real)
    kinds = {
        one.updater.kind for one in can_run.lms if not isinstance(one.updater, str)
    }
    size = (
        len(can_run.lms),
        sum(len(lm.graph_ids) for lm in can_run.lms),
        demand.later.hypotheses,
    )
    estimates = []
    if len(kinds) == 1:  # nothing is measured with two kinds of updaters
        (kind,) = kinds
        estimates = calibration.estimates(measured, args.backend, kind, size)
    plan = Plan(planned, args.backend, placing, demand if is_gpu else None, estimates)
    if args.json is not None:
        write_whole(args.json, json.dumps(plan.as_dict(), indent=1) + "\n")
    print(plan.show())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="monty plan",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add_experiment(parser)
    add("--lms", type=positive, metavar="N", help="synthetic: learning modules")
    add("--objects", type=positive, metavar="N", help="synthetic: known objects")
    add(
        "--nodes",
        type=node_range,
        default=(2000, 2000),
        metavar="N|MIN-MAX",
        help="synthetic: nodes of an object; of a range, the mean counts (default: "
        "2000)",
    )
    add(
        "--updater",
        choices=UPDATERS,
        default="default",
        help="synthetic: hypotheses updater (default: default)",
    )
    add(
        "--share-objects",
        action="store_true",
        help="synthetic: all learning modules have the same nodes of an object",
    )
    add(
        "--backend",
        default="cuda",
        metavar="NAME",
        help="what runs the learning modules' work (default: cuda)",
    )
    add_json(parser, "the plan")
    add(
        "--calibration",
        type=Path,
        metavar="FILE",
        help="measurements that times are estimated from (default: those of the fork)",
    )
    add(
        "--calibrate",
        type=Path,
        nargs="+",
        metavar="ROWS",
        help="add what 'monty bench lm-phase --json' wrote to the --calibration",
    )
    add("--machine", metavar="NAME", help="where it was measured; for --calibrate")
    return parser


def _planned(args: argparse.Namespace) -> Planned:
    if args.lms:
        return synthetic(
            args.lms,
            args.objects,
            sum(args.nodes) // 2,
            args.updater,
            shares_objects=args.share_objects,
        )
    # Imported here: it takes seconds, and sizes need nothing of it.
    from .experiment import planned_experiment  # noqa: PLC0415

    return planned_experiment(*experiment_of(args.overrides))


def _calibrate(args: argparse.Namespace) -> int:
    known = calibration.read(args.calibration) if args.calibration.exists() else []
    added = []
    for path in args.calibrate:
        written = datetime.fromtimestamp(path.stat().st_mtime, tz=timezone.utc)
        date = written.date().isoformat()
        added += calibration.from_bench(path, args.machine, date)
    if not added:
        raise Failed("these files have no measurements of the fork's learning modules")
    with whole_file(args.calibration) as file:
        calibration.write(file, [*known, *added])
    print(f"{args.calibration}: {len(added)} measurements added to {len(known)}")
    return 0
