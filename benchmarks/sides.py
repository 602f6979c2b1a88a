# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Upstream and the fork, each in a long-running process, to be timed in turns."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from monty_tools.refactor.fork import make_fork
from monty_tools.refactor.upstream import obtain

__all__ = ["SIDES", "BenchmarkedSide"]

SIDES = {"upstream": lambda: obtain().import_root, "fork": make_fork}


class BenchmarkedSide:
    """A process that runs one side's code a given number of times."""

    def __init__(self, side: str, script: Path, *arguments: str) -> None:
        """Start the script and wait until it is ready.

        Args:
            side: `upstream` or `fork`.
            script: Gets the arguments, and prints a line when it is ready. For each
                number it reads, it runs its work that many times and prints a line.
            *arguments: What to measure.
        """
        root = SIDES[side]()
        self._process = subprocess.Popen(
            [sys.executable, script, *arguments],
            env={**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        imported = Path(self._answer()).resolve()
        if imported != root.resolve():
            raise RuntimeError(f"{side} runs {imported}, not {root}")

    def run(self, times: int) -> None:
        print(times, file=self._process.stdin, flush=True)
        self._answer()

    def close(self) -> None:
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the benchmark ended: {self._process.wait()}")
        return line.strip()
