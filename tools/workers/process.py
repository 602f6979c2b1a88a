# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What all workers do: import the right tbp.monty, report, wait for orders, and end."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..ending import CouldNotRun, Ending
from ..guard import in_words
from ..recording.fault import HarnessFault

__all__ = ["Parent", "Progress", "imported_monty", "worked", "worker_parser"]


def worker_parser(module: str, description: str | None) -> argparse.ArgumentParser:
    """Returns a parser of the arguments that `control.Worker` passes to all workers.

    Args:
        module: The worker's module, below ``monty_tools``.
        description: The docstring of the module.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m monty_tools.{module}",
        description=(description or "").partition("\n")[0],
    )
    parser.add_argument(
        "--expect-root",
        type=Path,
        required=True,
        help="the folder that must hold the imported tbp/monty",
    )
    parser.add_argument("--reports", type=int, help="file descriptor to write to")
    parser.add_argument("--orders", type=int, help="file descriptor to read from")
    return parser


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


class Parent:
    """The process that started this one, see `control.Worker`."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Connects with it.

        Args:
            args: What a `worker_parser` has parsed.
        """
        self._reports = args.reports
        self._orders = args.orders

    def tell(self, report: Any) -> None:
        """Reports something, which JSON can hold."""
        if self._reports is None:
            return
        line = json.dumps(report).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._reports, line) :]
        except BrokenPipeError:
            # The parent is gone; nobody would read the rest.
            raise KeyboardInterrupt from None

    def orders(self) -> Iterator[str]:
        """Yields the orders as they come; each must be answered with one report."""
        with os.fdopen(self._orders) as lines:
            for line in lines:
                yield line.strip()


class Progress:
    """Reports how far a run is.

    Attributes:
        total: The number of episodes there will be, if it is known.
    """

    def __init__(self, parent: Parent) -> None:
        self.total: int | None = None
        self._parent = parent

    def __call__(self, episodes: int, steps: int) -> None:
        progress = {"episodes": episodes, "steps": steps, "total": self.total}
        self._parent.tell(progress)
