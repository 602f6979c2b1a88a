# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs commands of `monty` on a Monty of a few lines, in a process of their own."""

from __future__ import annotations

import sys
from pathlib import Path

from monty_tools.compare.command import COMPARE
from monty_tools.guard import guarded
from monty_tools.parallel.command import RUN_PARALLEL
from monty_tools.parity.command import PARITY, RECORD
from monty_tools.workers.sides import Paths

__all__ = ["small_monty"]


COMMANDS = {
    "compare": COMPARE,
    "parity": PARITY,
    "record": RECORD,
    "run-parallel": RUN_PARALLEL,
}


def small_monty(command: str, paths: Paths) -> list[str]:
    """Return the words that start a command; its arguments follow."""
    roots = (paths.upstream_root, paths.fork_root, paths.cache)
    return [sys.executable, __file__, command, *map(str, roots)]


def main() -> int:
    command, *roots = sys.argv[1:5]
    paths = Paths(*(Path(root) if root != "None" else None for root in roots))
    run = COMMANDS[command]
    return guarded(f"monty {command}", lambda: run(sys.argv[5:], paths))


if __name__ == "__main__":
    sys.exit(main())
