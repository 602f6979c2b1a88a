# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What every command does with what goes wrong: a line to read, and an exit status."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import traceback
from types import FrameType
from typing import Any, Callable, Iterator, NoReturn, Sequence

__all__ = [
    "INTERRUPTED",
    "INTERRUPTS",
    "TERMINATED",
    "UNABLE",
    "Failed",
    "guarded",
    "in_words",
    "interrupts_held",
    "signals_handled",
    "with_cause",
    "without_debug",
]

UNABLE = 2
"""Exit status of a command that could not be carried out; 1 means "different"."""

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)

DEBUG = "--debug"


class Failed(Exception):
    """Something that is known to go wrong; the message says why, and what to do."""


class Terminated(KeyboardInterrupt):
    """SIGTERM came. It ends a command as Ctrl-C does, after cleaning up."""


def guarded(program: str, command: Callable[[], int], *, debug: bool = False) -> int:
    """Run a command, and say in a line why it failed.

    Args:
        program: The name of the command, as it was typed.
        command: Does the work, and returns the exit status.
        debug: Whether to print the traceback too.

    Returns:
        The exit status.
    """
    try:
        with signals_handled(_terminate, signal.SIGTERM):
            return command()
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 whatever it is, it is reported
        if debug:
            traceback.print_exc()
        reason, status = in_words(error), UNABLE
        if isinstance(error, KeyboardInterrupt):
            terminated = isinstance(error, Terminated)
            reason = "terminated" if terminated else "interrupted"
            status = TERMINATED if terminated else INTERRUPTED
        print(f"{program}: {reason}", file=sys.stderr)
        return status


def in_words(error: BaseException) -> str:
    """Return the message of an exception, in one line unless it is a known failure."""
    if _says_all(error):
        return str(error).strip()
    return f"{_first_line(with_cause(error))} ({DEBUG} shows where)"


def with_cause(error: BaseException) -> str:
    """Return what was raised, with what it was raised because of in its first line.

    A library such as Hydra puts another exception around the one that says what is
    wrong, for instance which file is missing.
    """
    cause = _innermost(error)
    if cause is error:
        return _type_and_message(error)
    said, reason = map(_first_line, (_type_and_message(error), str(cause)))
    if reason and said.endswith(reason):
        return said
    if not _says_all(cause):
        reason = _first_line(_type_and_message(cause))
    return f"{said.rstrip(':')}: {reason}"


def _innermost(error: BaseException) -> BaseException:
    chain = [error]
    while True:
        behind = chain[-1].__cause__
        if behind is None and not chain[-1].__suppress_context__:
            behind = chain[-1].__context__
        if behind is None or behind in chain:
            return chain[-1]
        chain.append(behind)


def _says_all(error: BaseException) -> bool:
    return isinstance(error, (Failed, OSError)) and bool(str(error).strip())


def _type_and_message(error: BaseException) -> str:
    return ": ".join(filter(None, (type(error).__name__, str(error).strip())))


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def without_debug(arguments: Sequence[str] | None) -> tuple[list[str], bool]:
    """Take `--debug`, which every command has, out of a command line.

    Args:
        arguments: The command line. Defaults to the process's.

    Returns:
        The rest, and whether it was there.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    return [word for word in words if word != DEBUG], DEBUG in words


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the end of the block."""
    came: list[int] = []
    try:
        with signals_handled(lambda number, _frame: came.append(number), *INTERRUPTS):
            yield
    finally:
        if came:
            signal.raise_signal(came[0])


@contextlib.contextmanager
def signals_handled(handler: Any, *numbers: int) -> Iterator[None]:
    """Handle signals in another way until the end of the block.

    Args:
        handler: What `signal.signal` takes.
        *numbers: The signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread gets signals
        return
    previous = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, handled in previous.items():
            signal.signal(number, handled)


def _terminate(_number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated
