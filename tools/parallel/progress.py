# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows how far a run is: a line that moves, or without a terminal a line at times."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from tqdm import tqdm

__all__ = ["Standing", "shown_progress"]

SECONDS_BETWEEN_LINES = 15


@dataclass
class Standing:
    """How far a phase is.

    Attributes:
        total: How many episodes there are.
        done: How many have a result.
        failed: How many will have none.
        running: How many run now.
        workers: Where they run, in words.
    """

    total: int
    done: int
    failed: int = 0
    running: int = 0
    workers: str = ""

    def in_words(self) -> str:
        failed = f"{self.failed} failed, " if self.failed else ""
        return f"{failed}{self.running} running on {self.workers}"


class _Progress:
    def __init__(self, what: str, standing: Standing) -> None:
        self._what = what
        self._began = time.monotonic()
        self._said = self._began
        self._before = standing.done
        self._bar = None
        if sys.stderr.isatty():
            self._bar = tqdm(
                desc=what,
                unit="episode",
                total=standing.total,
                initial=standing.done,
                leave=False,
            )

    def __call__(self, standing: Standing) -> None:
        if self._bar is not None:
            self._bar.n = standing.done + standing.failed
            self._bar.set_postfix_str(standing.in_words())
            return
        now = time.monotonic()
        if now - self._said >= SECONDS_BETWEEN_LINES:
            self._said = now
            print(self._line(standing, now), file=sys.stderr, flush=True)

    def _line(self, standing: Standing, now: float) -> str:
        line = f"{self._what}: {standing.done} of {standing.total} episodes, "
        line += standing.in_words()
        done = standing.done + standing.failed - self._before
        if done:
            seconds = (now - self._began) / done
            left = standing.total - standing.done - standing.failed
            line += f"; {60 / seconds:.2g} per minute, {seconds * left:.0f} s left"
        return line

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


@contextlib.contextmanager
def shown_progress(what: str, standing: Standing) -> Iterator[_Progress]:
    """Shows progress on standard error.

    Args:
        what: What is run, in a word.
        standing: How far it is at the beginning.

    Yields:
        The function to call with how far it is.
    """
    progress = _Progress(what, standing)
    try:
        yield progress
    finally:
        progress.close()
