# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Starts modules of this package in processes of their own, which end with this one.

``python -m monty_tools.child PARENT MODULE ...`` is what such a process runs.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import runpy
import signal
import subprocess
import sys
from typing import Any, Sequence

from .guard import INTERRUPTED

__all__ = ["end_with", "how_it_ended", "kill", "start"]

_PR_SET_PDEATHSIG = 1
"""From linux/prctl.h: choose the signal that the death of the parent sends."""


def start(module: str, words: Sequence[str], **options: Any) -> subprocess.Popen:
    """Start a module.

    On Linux it ends with the thread that started it, which should be the main thread.

    Args:
        module: The module, below `monty_tools`.
        words: Its arguments.
        options: Those of `subprocess.Popen`.

    Returns:
        The process. It leads a session and a process group of its own, so that the
        terminal interrupts only this process, which ends its children.
    """
    command = [sys.executable, "-m", "monty_tools.child", str(os.getpid())]
    command += [f"monty_tools.{module}", *words]
    return subprocess.Popen(command, start_new_session=True, **options)


def kill(child: subprocess.Popen) -> None:
    """End a child and what it has started, at once; nothing if it has ended."""
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def how_it_ended(status: int) -> str:
    """Return what the exit status of a child says."""
    if status < 0:
        return f"the process was ended by {signal.Signals(-status).name}"
    if status == INTERRUPTED:
        return "the process was interrupted"
    return f"the process ended with status {status}"


def end_with(parent: int) -> bool:
    """Let this process end with its parent, and return whether that still lives.

    Only on Linux; elsewhere a child notices when it reports to its parent.
    """
    if sys.platform != "linux":
        return True
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    return os.getppid() == parent


def main() -> None:
    """Run a module in this process, until it ends or the parent does."""
    parent, module = int(sys.argv[1]), sys.argv[2]
    if not end_with(parent):
        return
    sys.argv = sys.argv[2:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
