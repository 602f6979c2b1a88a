# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How a recorded run ended."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .guard import INTERRUPTED, Failed, with_cause

__all__ = [
    "CouldNotRun",
    "Ending",
    "describe_exception",
    "how_it_ended",
    "is_result",
    "one_line",
    "plain",
]


class CouldNotRun(Failed):
    """A run is impossible, for a reason that says nothing about the experiment."""


class Ending(enum.Enum):
    """How a run ended, with the exit status of the worker that ran it."""

    FINISHED = "finished", 0
    LIMIT = "limit reached", 10
    RAISED = "raised", 11
    DIVERGED = "diverged", 12
    UNABLE = "could not run", 13
    INTERRUPTED = "interrupted", INTERRUPTED

    def __init__(self, words: str, status: int) -> None:
        self.words = words
        self.status = status

    @classmethod
    def of_status(cls, status: int) -> Ending:
        """Returns the ending of an exit status; an unknown one could not run."""
        for ending in cls:
            if ending.status == status:
                return ending
        return cls.UNABLE


def is_result(error: Exception, recorded: Iterable[dict[str, Any]] | None) -> bool:
    """Returns whether an exception of a run is something to compare, and no fault.

    Args:
        error: The exception.
        recorded: The events of the run that this one repeats, if it repeats one. If
            that did not end with an exception, this one could not repeat it.
    """
    if isinstance(error, (MemoryError, OSError)):
        return False  # of the machine
    return recorded is None or any(
        event["event"] == "end" and event["ending"] == Ending.RAISED.words
        for event in recorded
    )


def describe_exception(error: BaseException) -> dict[str, str]:
    """Returns type and message of an exception, in the form to compare."""
    # Addresses in a message differ from process to process.
    message = re.sub(r"\b0x[0-9a-fA-F]+", "0x...", str(error))
    kind = type(error)
    return {"type": f"{kind.__module__}.{kind.__qualname__}", "message": message}


def how_it_ended(end: Mapping[str, Any]) -> str:
    """Returns in words how a run ended, with what it raised, if it did.

    Args:
        end: The last event of its recording.
    """
    raised = f" {end['type']}: {end['message']}" if "type" in end else ""
    return f"{end['ending']}{raised}"


def one_line(error: BaseException) -> str:
    """Returns an exception and its cause, in one line of printable characters."""
    return plain(with_cause(error))[:300]


def plain(text: str) -> str:
    """Returns a text in one line of printable characters."""
    words = " ".join(text.split())
    return "".join(c if c.isprintable() else "?" for c in words)
