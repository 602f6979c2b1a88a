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
from typing import Any, NamedTuple

__all__ = ["MONTY", "Span", "Spans"]

MONTY = 1
"""The row of everything that is not of one learning module."""


class Span(NamedTuple):
    """A call that took place.

    Attributes:
        phase: Its phase.
        row: Its row in the timeline.
        began: When, in nanoseconds of `time.perf_counter_ns`.
        ended: When.
        group: The group of learning modules that it worked for, or None.
        episode: The number of the episode in the run; -1 before the first.
        step: The number of the step in the episode, None outside steps.
    """

    phase: str
    row: int
    began: int
    ended: int
    group: int | None
    episode: int
    step: int | None


class Spans:
    """Records spans. They are of one thread, so they are nested or disjoint.

    Attributes:
        done: The spans that ended since the last `take`, in the order of their ends.
        group: The group that work is done for now.
        episode: The present episode.
        step: The present step.
    """

    def __init__(self) -> None:
        # Plain tuples: to make a Span takes twice as long.
        self.done: list[tuple] = []
        self.group: int | None = None
        self.episode = -1
        self.step: int | None = None
        self._unclaimed: list[tuple[int, int]] = []

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
        if cupy is not None:
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
        unclaimed = self._unclaimed
        for values in done:
            span = Span(*values)
            own = span.ended - span.began
            while unclaimed and unclaimed[-1][0] >= span.began:
                own -= unclaimed.pop()[1]
            unclaimed.append((span.began, span.ended - span.began))
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
