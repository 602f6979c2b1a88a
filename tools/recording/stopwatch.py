# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Times a Monty, without its environment and without observers."""

from __future__ import annotations

import functools
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

__all__ = ["CPU", "OTHER", "PARTS", "WHOLE", "Stopwatch"]

_RESETS = "resets"
_STEP = "step"

PARTS = {
    "sensor modules": "aggregate_sensory_inputs",
    "learning modules": "_step_learning_modules",
    "votes": "_vote",
    _RESETS: "reset",
}
"""The parts that are timed separately, and the method of a Monty for each."""

WHOLE = "whole"
OTHER = "other"
CPU = "CPU"


class Stopwatch:
    """Adds up the seconds that a Monty spends in each of its parts."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def attach(self, monty: Any) -> None:
        """Times a Monty from now on; wraps its methods, on this object only."""
        for part, method in {**PARTS, _STEP: "step"}.items():
            if not hasattr(monty, method):
                continue
            timed = self._timed(part, getattr(monty, method), time.perf_counter)
            if part in (_STEP, _RESETS):
                timed = self._timed(CPU, timed, time.process_time)
            setattr(monty, method, timed)

    def take(self) -> dict[str, float]:
        """Returns the seconds since the last call, and starts again from zero.

        Returns:
            The seconds of each of `PARTS`; under `other` those of the rest of Monty's
            steps (goals, motor system, conditions to end); under `whole` the sum;
            under `CPU` the processor seconds of the whole, of all threads.
        """
        seconds, self._seconds = self._seconds, defaultdict(float)
        taken = {part: seconds[part] for part in PARTS}
        within_steps = sum(s for part, s in taken.items() if part != _RESETS)
        other = seconds[_STEP] - within_steps
        whole = seconds[_STEP] + taken[_RESETS]
        return {**taken, OTHER: other, WHOLE: whole, CPU: seconds[CPU]}

    def _timed(self, part: str, method: Any, clock: Callable[[], float]) -> Any:
        @functools.wraps(method)
        def timed(*args: Any, **kwargs: Any) -> Any:
            began = clock()
            try:
                return method(*args, **kwargs)
            finally:
                self._seconds[part] += clock() - began

        return timed
