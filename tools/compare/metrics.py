# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The figures of a run, computed as upstream computes those of its benchmark tables."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..ending import one_line
from ..guard import Failed

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "METRICS",
    "RUNTIME",
    "STATS",
    "BadResults",
    "Figures",
    "Metric",
    "figures_of",
    "noted_time",
]

STATS = "eval_stats.csv"
"""What a run writes: a row per episode and learning module."""

PARALLEL_LOG = "parallel_log.txt"
"""Where upstream's parallel runner notes how long it took."""

PERFORMANCES = (
    *("patch_off_object", "no_label", "pose_time_out", "time_out"),
    *("confused_mlh", "correct_mlh", "no_match", "confused", "correct"),
)
"""How a learning module can end. The last of this order decides for the episode."""

NUMBERS = ("monty_matching_steps", "rotation_error", "time")
WORDS = ("lm_id", "primary_performance")


class BadResults(Failed):
    """The results of a run cannot be read."""


@dataclass(frozen=True)
class Metric:
    """A row of the table.

    Attributes:
        name: As upstream's reviewers write it.
        more_is_better: Or less is.
        is_time: Whether it differs from run to run.
    """

    name: str
    more_is_better: bool = False
    is_time: bool = False


RUNTIME = Metric("runtime (min)", is_time=True)
METRICS = (
    Metric("percent_correct (%)", more_is_better=True),
    Metric("used_mlh (%)"),
    Metric("match_steps"),
    Metric("rotation_error (deg)"),
    RUNTIME,
    Metric("episode_runtime (sec)", is_time=True),
    Metric("num_episodes", more_is_better=True),
)


@dataclass(frozen=True)
class Figures:
    """What a run came to.

    Attributes:
        values: By the name of the metric; None if no episode has such a value.
        all_episodes_s: The sum of the times of the episodes.
        wall_s: How long the run took; None if nobody noted it.
    """

    values: Mapping[str, float | None]
    all_episodes_s: float
    wall_s: float | None


def figures_of(folder: Path, wall_s: float | None) -> Figures:
    """Return the figures of a run.

    Args:
        folder: Where the run wrote its files.
        wall_s: How long the run took; None if that is not known.

    Raises:
        BadResults: If they are missing or damaged.
    """
    path = folder / STATS
    rows = _read(path)
    episode = rows.groupby("lm_id").cumcount()
    if len(rows) != rows["lm_id"].nunique() * (episode.max() + 1):
        raise BadResults(f"{path}: an episode lacks the rows of learning modules")
    by_episode = rows.groupby(episode)
    performance = by_episode["rank"].max().map(PERFORMANCES.__getitem__)
    correct = performance.isin(("correct", "correct_mlh"))
    rotation_errors = by_episode["rotation_error"].mean()
    seconds = by_episode["time"].max()
    all_episodes_s = float(seconds.sum())
    values = (
        correct.mean() * 100,
        performance.isin(("correct_mlh", "confused_mlh")).mean() * 100,
        by_episode["monty_matching_steps"].last().mean(),
        rotation_errors[correct].mean(),
        (all_episodes_s if wall_s is None else wall_s) / 60,
        seconds.mean(),
        len(seconds),
    )
    return Figures(
        {
            metric.name: float(value) if math.isfinite(value) else None
            for metric, value in zip(METRICS, values, strict=True)
        },
        all_episodes_s,
        wall_s,
    )


def _read(path: Path) -> pd.DataFrame:
    # Imported here: it takes a second, and --help should not.
    import pandas as pd  # noqa: PLC0415

    try:
        rows = pd.read_csv(
            path,
            usecols=[*NUMBERS, *WORDS],
            dtype={**dict.fromkeys(NUMBERS, "float64"), **dict.fromkeys(WORDS, "str")},
            float_precision="round_trip",
        )
        ranks = rows["primary_performance"].map(PERFORMANCES.index)
    except FileNotFoundError:
        raise BadResults(f"{path} is missing") from None
    except (OSError, ValueError) as error:
        raise BadResults(f"{path} cannot be read: {one_line(error)}") from error
    if rows.empty:
        raise BadResults(f"{path} has no episodes")
    if not rows[["monty_matching_steps", "time"]].map(math.isfinite).all(axis=None):
        raise BadResults(f"{path} lacks steps or times")
    return rows.assign(rank=ranks)


def noted_time(folder: Path) -> float | None:
    """Return the seconds that a parallel runner noted for a run, if it did."""
    path = folder / PARALLEL_LOG
    if not path.is_file():
        return None
    text = path.read_text("utf-8", errors="replace")
    found = re.search(r"^total_time: (\d+(\.\d+)?)$", text, re.MULTILINE)
    return float(found[1]) if found else None
