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
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from tbp.monty.backends.cuda.settings import CudaSettings, InvalidSetting
from tbp.monty.backends.registry import (
    BackendUnavailable,
    UnknownBackend,
    load_backend,
)

from ..arguments import Command, Misused, Parser, experiment_of
from ..guard import Failed
from ..temporary import whole_file, write_whole
from . import calibration
from .demand import COUNTING, demand_of
from .placing import place
from .planned import Planned
from .report import Plan
from .synthetic import synthetic

__all__ = ["PLAN"]

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


def _planned_or_calibrated(args: argparse.Namespace, _paths: object) -> int:
    if args.calibrate:
        if args.machine is None or args.calibration is None:
            raise Misused("--calibrate needs --machine NAME and --calibration FILE")
        return _calibrate(args)
    if args.lms or args.objects:
        if args.overrides or not (args.lms and args.objects):
            raise Misused("name an experiment, or give both --lms and --objects")
    else:
        try:
            experiment_of(args.overrides)
        except Misused as problem:
            raise Misused("name one experiment, or --lms and --objects") from problem
    try:
        with contextlib.suppress(BackendUnavailable):  # it need not be here
            load_backend(args.backend)
        real = CudaSettings.from_environment().real
    except (UnknownBackend, InvalidSetting) as problem:
        raise Misused(str(problem)) from problem
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


def _parser() -> Parser:
    parser = Parser(
        "monty plan", DESCRIPTION, EPILOG, words="experiment=NAME [OVERRIDE ...]"
    )
    add = parser.add_argument
    parser.add_experiment()
    parser.add_shared("--lms", "--objects", "--share-objects")
    parser.add_shared("--nodes", default=(2000, 2000))
    parser.add_shared("--updater", default="default")
    parser.add_shared("--backend", default="cuda")
    parser.add_shared("--json", "--trust")
    add(
        "--calibration",
        type=Path,
        metavar="FILE",
        help="measurements that times are estimated from",
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


PLAN = Command(_parser, _planned_or_calibrated)
