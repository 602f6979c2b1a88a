# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""An estimate of the time of a step, from measured steps.

A step takes a time of its own, and one for each learning module, each object that it
knows, and each hypothesis. These four are fitted to what was measured on a machine with
a backend and an updater; the largest relative error of the fit is told with every
estimate.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from ..bench.settings import UPDATERS
from ..guard import Failed
from ..workers.sides import UPSTREAM

__all__ = [
    "BUILT_IN",
    "Estimate",
    "Measured",
    "estimates",
    "from_bench",
    "read",
    "write",
]

BUILT_IN = Path(__file__).with_name("calibration.json")
FORMAT, VERSION = "monty-calibration", 1


@dataclass(frozen=True)
class Measured:
    """A measured step of learning modules.

    Attributes:
        machine: Where.
        date: When.
        version: Of the fork.
        backend: The backend.
        updater: The kind of updater.
        lms: How many learning modules there were.
        objects: How many objects each of them knew.
        hypotheses: How many there were of all of them.
        seconds: How long the step took.
    """

    machine: str
    date: str
    version: str
    backend: str
    updater: str
    lms: int
    objects: int
    hypotheses: float
    seconds: float

    @property
    def size(self) -> tuple[float, float, float]:
        return self.lms, self.lms * self.objects, self.hypotheses


@dataclass(frozen=True)
class Estimate:
    """How long a step may take.

    Attributes:
        machine: Where.
        backend: With which backend.
        seconds: How long.
        measurements: From how many measurements.
        error: How far, relatively, the worst of these is from the estimate of it; None
            if there are too few to tell.
        dates: The first and the last day of the measurements.
    """

    machine: str
    backend: str
    seconds: float
    measurements: int
    error: float | None
    dates: tuple[str, str]


def estimates(
    measured: Iterable[Measured],
    backend: str,
    updater: str,
    size: tuple[float, float, float],
) -> list[Estimate]:
    """Return an estimate for each machine of which there are measurements.

    Args:
        measured: All measurements.
        backend: The backend.
        updater: The kind of updater.
        size: Learning modules, objects that they know altogether, and hypotheses.
    """
    by_machine: dict[str, list[Measured]] = {}
    for one in measured:
        if (one.backend, one.updater) == (backend, updater):
            by_machine.setdefault(one.machine, []).append(one)
    return [_estimate(of_machine, size) for of_machine in by_machine.values()]


def _estimate(
    measured: Sequence[Measured], size: tuple[float, float, float]
) -> Estimate:
    # In units of what was measured: small steps count as much as large ones.
    rows = np.array([np.array((1, *one.size)) / one.seconds for one in measured])
    costs, _ = nnls(rows, np.ones(len(rows)))
    is_told = len(measured) > np.count_nonzero(costs)
    dates = [one.date for one in measured]
    return Estimate(
        machine=measured[0].machine,
        backend=measured[0].backend,
        seconds=float(costs @ (1, *size)),
        measurements=len(measured),
        error=float(np.abs(rows @ costs - 1).max()) if is_told else None,
        dates=(min(dates), max(dates)),
    )


def from_bench(path: Path, machine: str, date: str) -> list[Measured]:
    """Return what `monty bench lm-phase --json` has measured.

    Args:
        path: The file.
        machine: Where it was measured.
        date: When.
    """
    try:
        content = json.loads(path.read_text())
        return [
            Measured(
                machine=machine,
                date=date,
                version=row["version"],
                backend=row["backend"],
                updater=_updater(row),
                lms=row["lms"],
                objects=row["objects"],
                hypotheses=row["hypotheses"],
                seconds=statistics.median(row["steps_s"]),
            )
            for row in (content["rows"] if isinstance(content, dict) else content)
            if row["backend"] != UPSTREAM and row["votes"] is None
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise Failed(
            f"{path} is not what 'monty bench lm-phase --json' writes: {error!r}"
        ) from error


def _updater(row: Mapping[str, Any]) -> str:
    found = row["updater"]
    if found not in UPDATERS:
        raise ValueError(f"{found!r} is no updater")
    return found


def write(path: Path, measured: Sequence[Measured]) -> None:
    """Write measurements."""
    content = {
        "format": FORMAT,
        "format_version": VERSION,
        "measured": [asdict(one) for one in measured],
    }
    path.write_text(json.dumps(content, indent=1) + "\n")


def read(path: Path) -> list[Measured]:
    """Return the measurements in a file."""
    try:
        content = json.loads(path.read_text())
        found = content["format"], content["format_version"]
        measured = [_checked(one) for one in content["measured"]]
    except (KeyError, TypeError, ValueError) as error:
        raise Failed(f"{path} is not a calibration: {error!r}") from error
    if found != (FORMAT, VERSION):
        raise Failed(f"{path} is a {found[0]} {found[1]}, not a {FORMAT} {VERSION}")
    return measured


def _checked(values: dict[str, Any]) -> Measured:
    one = Measured(**values)
    for field in fields(one):
        value = getattr(one, field.name)
        is_text = field.type == "str"
        if is_text != isinstance(value, str) or not (is_text or value > 0):
            raise ValueError(f"{field.name} is {value!r}")
    return one
