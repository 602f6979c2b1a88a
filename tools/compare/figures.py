# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The figures of runs, computed as upstream computes those of its benchmark tables."""

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
    "STATS",
    "BadResults",
    "Compared",
    "Figures",
    "Metric",
    "Row",
    "Tolerances",
    "compared",
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

BETTER, WORSE, UNCHANGED = "better", "worse", "unchanged"

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


@dataclass(frozen=True)
class Tolerances:
    """How much a figure may differ, relative to the baseline, and count as unchanged.

    Attributes:
        results: Of what Monty found, and in how many steps and episodes.
        times: Of what differs from run to run.
    """

    results: float = 0.0
    times: float = 0.1

    def of(self, metric: Metric) -> float:
        return self.times if metric.is_time else self.results


@dataclass(frozen=True)
class Row:
    """A metric on both sides; None where a side has no such figure."""

    metric: Metric
    baseline: float | None
    proposed: float | None
    delta: float | None
    result: str


@dataclass(frozen=True)
class Compared:
    """An experiment on both sides.

    Attributes:
        name: The experiment.
        rows: A row per metric.
        notes: What a reader must know about the rows.
    """

    name: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether the results are the same; times do not count."""
        return all(row.result == UNCHANGED or row.metric.is_time for row in self.rows)


def compared(
    name: str, baseline: Figures, proposed: Figures, tolerances: Tolerances
) -> Compared:
    """Compare the figures of two runs of an experiment."""
    notes = []
    left, right = dict(baseline.values), dict(proposed.values)
    if None in (baseline.wall_s, proposed.wall_s):
        # Otherwise one side would count what the other does not.
        for values, figures in ((left, baseline), (right, proposed)):
            values[RUNTIME.name] = figures.all_episodes_s / 60
        notes.append("runtime: the sum of the episodes, because a run's own is unknown")
    rows = tuple(_row(metric, left, right, tolerances) for metric in METRICS)
    if rows[-1].result != UNCHANGED:
        notes.append("the sides ran different episodes")
    return Compared(name, rows, tuple(notes))


def _row(
    metric: Metric,
    baseline: Mapping[str, float | None],
    proposed: Mapping[str, float | None],
    tolerances: Tolerances,
) -> Row:
    left, right = baseline[metric.name], proposed[metric.name]
    if left is None or right is None:
        # Only the rotation error can be missing: if no object was recognised.
        found = UNCHANGED if left is right else WORSE if right is None else BETTER
        return Row(metric, left, right, None, found)
    delta = right - left
    if abs(delta) <= tolerances.of(metric) * abs(left):
        return Row(metric, left, right, delta, UNCHANGED)
    is_better = (delta > 0) == metric.more_is_better
    return Row(metric, left, right, delta, BETTER if is_better else WORSE)
