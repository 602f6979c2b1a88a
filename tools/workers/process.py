# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What all workers do: import the right tbp.monty, tell their progress, and end."""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from ..ending import CouldNotRun, Ending
from ..guard import in_words
from ..recording.fault import HarnessFault

__all__ = ["Progress", "imported_monty", "worked"]


def worked(work: Callable[[], Ending]) -> int:
    """Does the work of this process, and returns its exit status, see `Ending`."""
    # Set here, because a parent may have ignored interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return work().status
    except KeyboardInterrupt:
        return Ending.INTERRUPTED.status
    except (Exception, HarnessFault) as error:  # noqa: BLE001 the parent shows it
        traceback.print_exc()
        cause = error.__cause__ if isinstance(error, HarnessFault) else error
        # The last line is what the parent shows without --debug.
        print(" ".join(in_words(cause or error).split()), file=sys.stderr)
        return Ending.UNABLE.status


def imported_monty(expected: Path) -> str:
    """Imports tbp.monty from the expected folder, and returns its version.

    Raises:
        CouldNotRun: If it comes from another folder.
    """
    monty = importlib.import_module("tbp.monty")
    found = Path(monty.__path__[0]).resolve().parents[1]
    if found != expected.resolve():
        raise CouldNotRun(
            f"expected tbp.monty from {expected.resolve()}, but it is imported from "
            f"{found}: check PYTHONPATH and what is installed"
        )
    return getattr(monty, "__version__", "unknown")


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
