# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Tells the parent process about the progress of a worker."""

from __future__ import annotations

import json
import os

__all__ = ["Progress"]


class Progress:
    """Writes lines of JSON to a file descriptor.

    Attributes:
        total: The number of episodes there will be, if it is known.
    """

    def __init__(self, fd: int | None, total: int | None = None) -> None:
        self.total = total
        self._fd = fd

    def __call__(self, episodes: int, steps: int) -> None:
        if self._fd is None:
            return
        line = {"episodes": episodes, "steps": steps, "total": self.total}
        try:
            os.write(self._fd, json.dumps(line).encode() + b"\n")
        except BrokenPipeError:
            # The parent is gone; nobody would read the rest.
            raise KeyboardInterrupt from None
