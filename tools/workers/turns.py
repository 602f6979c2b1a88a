# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Processes in a ring, of which one works at a time.

What one of them times is not slowed down by the others, and when the machine is slow
for a while, all of them meet that.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

__all__ = ["in_turn", "ring"]

T = TypeVar("T")


@contextlib.contextmanager
def ring(count: int) -> Iterator[list[Sequence[int]]]:
    """Makes a ring, and has the first process begin.

    Args:
        count: The number of processes.

    Yields:
        For each process two file descriptors to start it with: where it reads that it
        is its turn, and where it writes that it is the next one's.
    """
    pipes = [os.pipe() for _ in range(count)]
    try:
        os.write(pipes[0][1], b"\n")
        yield [(pipes[i][0], pipes[(i + 1) % count][1]) for i in range(count)]
    finally:
        # The processes have their own. If this one kept any open, they would not
        # notice when the one before them ends.
        for descriptor in (one for pipe in pipes for one in pipe):
            os.close(descriptor)


def in_turn(place: Sequence[int] | None, works: Iterable[T]) -> Iterator[T]:
    """Yields one piece of work on each turn of this process.

    If the process before it in the ring has ended early, so does this.

    Args:
        place: The place of this process; None if it is in no ring.
        works: What it is to do.
    """
    if place is None:
        yield from works
        return
    own, following = place
    for work in works:
        if not os.read(own, 1):
            return
        yield work
        with contextlib.suppress(BrokenPipeError):  # the next process has ended
            os.write(following, b"\n")
