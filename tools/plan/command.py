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
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..arguments import Command, Misused, Parser, experiment_of
from ..bench.settings import Settings
from ..table import table
from ..temporary import write_whole

if TYPE_CHECKING:
    from .counting import Counted

__all__ = ["PLAN"]

FORMAT, VERSION = "monty-plan", 2

DESCRIPTION = """\
Says beforehand what a Monty will ask of a GPU: launches, bytes and memory. It needs
neither a GPU nor a simulator: it runs steps of the backend cuda on a stand-in for a GPU
that only counts.
"""

EPILOG = """\
examples:
  monty plan experiment=randrot_noise_10distinctobj_5lms_dist_agent_mujoco
  monty plan --lms 5 --objects 77
  monty plan --lms 2500 --objects 10 --nodes 580 --share-objects --json plan.json

exit status: 0 planned, 2 could not plan, 130 interrupted
"""


def _plan(args: argparse.Namespace, _paths: object) -> int:
    is_synthetic = bool(args.lms or args.objects)
    if is_synthetic and (args.overrides or not (args.lms and args.objects)):
        raise Misused("name an experiment, or give both --lms and --objects")
    named = None if is_synthetic else experiment_of(args.overrides)
    # Imported now: it takes seconds.
    from .counting import demand_of, groups_of  # noqa: PLC0415
    from .monties import monty_of, synthetic_monty  # noqa: PLC0415

    monty = monty_of(*named) if named else synthetic_monty(_settings(args))
    try:
        groups = [[monty.learning_modules[i] for i in one] for one in groups_of(monty)]
        demand = demand_of(monty)
    finally:
        monty.close()
    if args.json is not None:
        plan = _as_dict(groups, demand)
        write_whole(args.json, json.dumps(plan, indent=1) + "\n")
    print(_show(groups, demand))
    return 0


def _parser() -> Parser:
    parser = Parser(
        "monty plan", DESCRIPTION, EPILOG, words="experiment=NAME [OVERRIDE ...]"
    )
    parser.add_experiment()
    parser.add_shared("--lms", "--objects", "--share-objects")
    parser.add_shared("--nodes", default=(2000, 2000))
    parser.add_shared("--updater", default="default")
    parser.add_shared("--json", "--trust")
    return parser


PLAN = Command(_parser, _plan)


def _settings(args: argparse.Namespace) -> Settings:
    return Settings(
        lms=args.lms,
        objects=args.objects,
        updater=args.updater,
        nodes=args.nodes,
        shares_objects=args.share_objects,
        steps=1,
    )


def _as_dict(
    groups: Sequence[Sequence[Any]], demand: Mapping[str, Counted]
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "groups": [[str(lm.learning_module_id) for lm in group] for group in groups],
        "gpu": {kind: asdict(step) for kind, step in demand.items()},
    }


def _show(groups: Sequence[Sequence[Any]], demand: Mapping[str, Counted]) -> str:
    lines = ["groups of learning modules"]
    for group in groups:
        objects = sorted({len(lm.get_all_known_object_ids()) for lm in group})
        names = [str(lm.learning_module_id) for lm in group]
        few = ", ".join(names) if len(names) <= 4 else f"{names[0]} to {names[-1]}"
        known = " or ".join(map(str, objects))
        lines.append(f"  {few} ({len(names)}); each knows {known} objects")
    steps = list(demand.values())
    counts = [
        ("hypotheses", *(f"{one.hypotheses:,}" for one in steps)),
        ("kernels launched", *(f"{one.launches:,}" for one in steps)),
        ("sent", *_sizes(one.sent for one in steps)),
        ("returned", *_sizes(one.returned for one in steps)),
        *(
            (f"memory: {use}", *_sizes(one.memory[use] for one in steps))
            for use in steps[0].memory
        ),
        ("memory at most", *_sizes(one.peak for one in steps)),
    ]
    rows = [(*row, "") for row in counts]
    return "\n".join([*lines, "", table(("a GPU", *demand, ""), rows)])


def _sizes(all_nbytes: Iterable[int]) -> list[str]:
    return list(map(_size, all_nbytes))


def _size(nbytes: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if nbytes >= size:
            return f"{nbytes / size:.1f} {unit}"
    return f"{nbytes} B"
