# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Measures how much memory of a GPU an episode takes, while it runs."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

__all__ = ["GpuMemory", "is_out_of_memory", "watched_gpu"]

SECONDS_BETWEEN_LOOKS = 0.1
EXHAUSTED = {"OutOfDeviceMemory", "OutOfMemoryError"}
"""Exceptions of the fork's backends, and of CuPy."""


class GpuMemory:
    """What was taken of the memory of the visible GPU, at most.

    Attributes:
        share: The part of its memory, from 0 to 1; 0 without a GPU. Other processes
            count too, so a worker measures while it is alone.
    """

    def __init__(self) -> None:
        self.share = 0.0
        self._ended = threading.Event()

    def watch(self) -> None:
        """Looks until it is ended."""
        while not self._ended.wait(SECONDS_BETWEEN_LOOKS):
            self.look()

    def look(self) -> None:
        # Not imported here: an episode on a CPU needs no GPU.
        cupy: Any = sys.modules.get("cupy")
        with contextlib.suppress(AttributeError):  # it may be half imported
            if cupy is not None:
                free, total = cupy.cuda.runtime.memGetInfo()
                self.share = max(self.share, 1 - free / total)

    def end(self) -> None:
        self._ended.set()


@contextlib.contextmanager
def watched_gpu() -> Iterator[GpuMemory]:
    """Watches the GPU during an episode."""
    memory = GpuMemory()
    thread = threading.Thread(target=memory.watch, daemon=True)
    thread.start()
    try:
        yield memory
    finally:
        memory.end()
        thread.join()


def is_out_of_memory(error: BaseException | None) -> bool:
    """Returns whether an exception comes from a GPU without free memory."""
    while error is not None:
        if type(error).__name__ in EXHAUSTED:
            return True
        error = error.__cause__ or error.__context__
    return False
