# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Files as a run writes them, for tests."""

from __future__ import annotations

import csv
from pathlib import Path

COLUMNS = (
    *("", "primary_performance", "rotation_error", "time", "monty_matching_steps"),
    *("result", "lm_id"),
)


def lm(
    performance: str,
    rotation_error: float | str = "",
    seconds: float = 1.0,
    steps: int = 10,
    name: str = "LM_0",
) -> tuple[object, ...]:
    """Return a row of a learning module in an episode."""
    return (name, performance, rotation_error, seconds, steps, "a\n'result', b", name)


def write_stats(folder: Path, *rows: tuple[object, ...]) -> Path:
    """Write the results of a run.

    Returns:
        The folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "eval_stats.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return folder
