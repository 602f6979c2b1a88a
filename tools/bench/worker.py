# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs episodes, on request, on the tbp.monty that this process imports.

``python -m monty_tools.bench.worker --settings JSON --scenario FILE ...``

An order is the name of a method of `Episodes`; the report holds what it returns, its
time included. The process ends when there are no more orders.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import json
import os
import re
import resource
import sys
import time
from pathlib import Path
from typing import Any, Sequence

from ..ending import Ending
from ..workers.process import Parent, imported_monty, worked, worker_parser
from ..workers.sides import BACKEND_VARIABLE
from .scenario import Scenario
from .settings import Settings
from .state import beliefs, end_state

__all__ = ["WrongBackend", "check_backend", "main", "peak_mib"]


class Episodes:
    """Identical episodes of a Monty."""

    def __init__(self, settings: Settings, scenario: Scenario) -> None:
        # Imported here, so that a failed import is answered like any other failure.
        from .system import System  # noqa: PLC0415

        began = time.perf_counter()
        self._system = System(settings, scenario)
        self._built = time.perf_counter() - began
        self._is_voting = settings.votes is not None
        self._inputs: list | None = None

    def describe(self) -> dict[str, Any]:
        """Return what was imported, and the time and memory that loading took."""
        self._check_backend()
        monty = importlib.import_module("tbp.monty")
        return {
            "version": monty.__version__,
            "has_backends": importlib.util.find_spec("tbp.monty.backends") is not None,
            "build_s": self._built,
            "peak_mib": peak_mib(),
        }

    def begin(self) -> dict[str, Any]:
        """Get ready for an episode."""
        began = time.perf_counter()
        self._system.reset()
        reset = time.perf_counter() - began
        self._inputs = self._system.inputs()
        gc.collect()
        return {"reset_s": reset}

    def run(self) -> dict[str, Any]:
        """Run the episode, and time only the learning modules' phase, or the votes.

        Between timed steps nothing is read: a backend may have to fetch what is read.
        Between timed votes it is, because it decides how many votes there are.
        """
        system, is_voting = self._system, self._is_voting
        times, cpu = [], 0.0
        for inputs in self._take_inputs():
            if is_voting:
                system.step(inputs)
                system.choose_votes()
            cpu_before, began = time.process_time(), time.perf_counter()
            if is_voting:
                system.vote()
            else:
                system.step(inputs)
            times.append(time.perf_counter() - began)
            cpu += time.process_time() - cpu_before
        return {"step_s": times, "cpu_s": cpu}

    def trace(self) -> dict[str, Any]:
        """Run the episode untimed, and note what is believed after each step."""
        system = self._system
        trace, votes = [], []
        for inputs in self._take_inputs():
            system.step(inputs)
            votes.append(system.choose_votes())
            if self._is_voting:
                system.vote()
            trace.append(beliefs(system.monty))
        return {"trace": trace, "votes": votes}

    def end(self) -> dict[str, Any]:
        """Return how the episode ended."""
        self._check_backend()
        # Taken first, because reading the state may need memory too.
        peak = peak_mib()
        return {**end_state(self._system.monty), "peak_mib": peak}

    def _check_backend(self) -> None:
        check_backend(self._system.monty, os.environ.get(BACKEND_VARIABLE))

    def _take_inputs(self) -> list:
        inputs, self._inputs = self._inputs, None
        if inputs is None:
            raise RuntimeError("an episode was run without having been begun")
        return inputs


class WrongBackend(Exception):
    """A Monty does not use the backend that was asked for."""


def check_backend(monty: Any, asked: str | None) -> None:
    """Check which backend a Monty uses, so that none is timed under another's name.

    Args:
        monty: The Monty, before or after an episode.
        asked: The name of the backend, or None for a Monty that knows none: upstream's.

    Raises:
        WrongBackend: If it uses another one.
    """
    backend = getattr(monty, "backend", None)
    used = getattr(backend, "name", None)
    if backend is None and asked is None:
        return
    if used != asked:
        raise WrongBackend(f"asked for the backend {asked}, but Monty uses {used}")
    elsewhere = getattr(backend, "ran_alone", None)
    if elsewhere:
        raise WrongBackend(
            f"asked for the backend {asked}, but not all steps used it: {elsewhere}"
        )


def peak_mib() -> float:
    """Return the peak physical memory of this process, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage: on Linux its number survives exec, so a child of a large
        # process starts with its parent's peak.
        found = re.search(r"^VmHWM:\s+(\d+) kB$", status.read_text(), re.MULTILINE)
        if found:
            return int(found[1]) / 2**10
    unit = 1 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def main(argv: Sequence[str] | None = None) -> int:
    """Follow orders, and return the exit status."""
    parser = worker_parser("bench.worker", __doc__)
    parser.add_argument("--settings", type=json.loads, required=True)
    parser.add_argument("--scenario", type=Path, required=True)
    args = parser.parse_args(argv)
    return worked(lambda: _work(args))


def _work(args: argparse.Namespace) -> Ending:
    imported_monty(args.expect_root)
    parent = Parent(args)
    settings = Settings.from_dict(args.settings)
    episodes = Episodes(settings, Scenario.load(args.scenario))
    for order in parent.orders():
        parent.tell(getattr(episodes, order)())
    return Ending.FINISHED


if __name__ == "__main__":
    sys.exit(main())
