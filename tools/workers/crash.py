# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Where a process crashed, according to what `faulthandler` wrote."""

from __future__ import annotations

import re

__all__ = ["crash_in"]

_FATAL = "Fatal Python error: "
_CURRENT = "Current thread "
# Without those of Python's import system, which lie between all others.
_FRAME = re.compile(r'^  File "(?!<frozen )(.+)", line (\d+) in (.+)$', re.MULTILINE)


def crash_in(said: str) -> str:
    """Returns what crashed a process and where.

    Args:
        said: All that the process wrote to standard error.

    Returns:
        One line; empty if it did not crash.
    """
    _, crashed, report = said.rpartition(_FATAL)
    if not crashed:
        return ""
    what, _, threads = report.partition("\n")
    frame = _FRAME.search(threads, threads.find(_CURRENT) + 1)
    if frame is None:
        return what
    file, line, function = frame.groups()
    return f"{what} in {function} ({file}, line {line})"
