# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Times calls on the host, each as a span of a phase."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

__all__ = ["MONTY", "Patches", "Span", "Spans"]

MONTY = 1
"""The row of everything that is not of one learning module."""


Span = tuple[str, int, int, int, "int | None", int, "int | None"]
"""A call that took place, as a plain tuple, which is made in half the time of others.

- its phase,
- its row in the timeline,
- when it began, in nanoseconds of `time.perf_counter_ns`,
- when it ended,
- the group of learning modules that it worked for, or None,
- the number of the episode in the run, -1 before the first,
- the number of the step in the episode, None outside steps.
"""


class Patches(ExitStack):
    """Methods of objects and classes that are replaced until it is closed."""

    def wrap(self, owner: Any, name: str, wrapped: Callable[[Any], Any]) -> None:
        """Puts a function in the place of a method, if there is one.

        Args:
            owner: An object, whose bound method is replaced, or a class.
            name: The name of the method.
            wrapped: Returns the function, given the method.
        """
        method = getattr(owner, name, None)
        if method is not None:
            self.enter_context(patch.object(owner, name, wrapped(method)))


class Spans:
    """Records spans. They are of one thread, so they are nested or disjoint.

    Attributes:
        done: The spans that ended since the last `take`, in the order of their ends.
        group: The group that work is done for now.
        episode: The present episode.
        step: The present step.
    """

    def __init__(self) -> None:
        self.done: list[Span] = []
        self.group: int | None = None
        self.episode = -1
        self.step: int | None = None
        self._outermost: list[tuple[int, int]] = []
        """When spans that were taken began, and how long they took; of those only that
        no other one of them contains."""

    def timed(
        self,
        phase: str,
        function: Callable[..., Any],
        row: int = MONTY,
    ) -> Callable[..., Any]:
        """Returns a function that records its calls.

        Where CuPy is loaded each call is an NVTX range, too, for Nsight. Without a
        profiler attached such a range costs next to nothing.
        """
        add, clock = self.done.append, time.perf_counter_ns
        cupy = sys.modules.get("cupy")
        if cupy is not None and cupy.cuda.nvtx.available:
            function = _ranged(phase, function, cupy.cuda.nvtx)

        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            began = clock()
            try:
                return function(*args, **kwargs)
            finally:
                ended = clock()
                add((phase, row, began, ended, self.group, self.episode, self.step))

        return timed

    def take(self) -> Iterator[tuple[Span, int]]:
        """Yields the spans that ended since the last call, with their own time.

        That is the time in nanoseconds outside the spans within them. A span comes
        after all that it contains, also if these were taken earlier.
        """
        done = self.done[:]
        self.done.clear()
        outermost = self._outermost
        for span in done:
            _phase, _row, began, ended, *_ = span
            own = ended - began
            while outermost and outermost[-1][0] >= began:
                own -= outermost.pop()[1]
            outermost.append((began, ended - began))
            yield span, own


def _ranged(phase: str, function: Callable[..., Any], nvtx: Any) -> Callable[..., Any]:
    push, pop = nvtx.RangePush, nvtx.RangePop

    @functools.wraps(function)
    def ranged(*args: Any, **kwargs: Any) -> Any:
        push(phase)
        try:
            return function(*args, **kwargs)
        finally:
            pop()

    return ranged
