# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A replay of a trace on one side, in its own process."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from ..parity.sides import Run, Side

__all__ = ["ReplayJob"]


@dataclass(frozen=True)
class ReplayJob:
    """A replay, as `parity.sides.run_jobs` runs it.

    Attributes:
        side: The side.
        trace: The trace to replay.
        write: The recording of the results.
        look: Whether to read the state of learning modules after each step.
        rounds: How often to replay it again, for timing only.
        trust: Packages whose classes the trace may name.
        run: The run that the progress display reads.
    """

    side: Side
    trace: Path
    write: Path
    look: bool = True
    rounds: int = 0
    trust: tuple[str, ...] = ()
    run: Run = field(default=Run("replay"))

    module: ClassVar[str] = "trace.worker"

    def arguments(self) -> list[str]:
        return [
            f"--write={self.write}",
            f"--rounds={self.rounds}",
            "--look" if self.look else "--no-look",
            *(f"--trust={package}" for package in self.trust),
            "--",
            str(self.trace),
        ]
