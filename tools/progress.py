# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows how far something is: bars on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Protocol

from tqdm import tqdm

from .ending import plain

__all__ = ["Show", "progress_shown"]

FORMAT = "{desc} {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"
SECONDS_BETWEEN_LINES = 15


class Show(Protocol):
    """Shows how far something is."""

    def __call__(self, done: int, total: int | None, note: str) -> None:
        """Shows it.

        Args:
            done: How many are done.
            total: How many there are; None if that is not known.
            note: What else to say, in words.
        """


@contextlib.contextmanager
def progress_shown(
    what: str, *, unit: str = "episodes", position: int = 0, leave: bool = False
) -> Iterator[Show]:
    """Shows progress on standard error.

    Args:
        what: What is done, in a word or two.
        unit: What is counted.
        position: Which bar it is, from the top, where there are several.
        leave: Whether the bar stays at the end.

    Yields:
        The function to call with how far it is.
    """
    if sys.stderr.isatty():
        with tqdm(
            desc=what,
            unit=unit,
            position=position,
            leave=leave,
            bar_format=FORMAT,
            dynamic_ncols=True,
            miniters=0,
            smoothing=0,  # the last one tells little of the next
        ) as bar:

            def show(done: int, total: int | None, note: str) -> None:
                bar.total = total
                bar.set_postfix_str(plain(note), refresh=False)
                bar.update(done - bar.n)

            yield show
        return
    last = time.monotonic()

    def say(done: int, total: int | None, note: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES:
            last = now
            of = "" if total is None else f" of {total}"
            line = f"{what}: {done}{of} {unit}, {note}"
            print(line, file=sys.stderr, flush=True)

    yield say
