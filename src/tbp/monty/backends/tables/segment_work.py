# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is to be computed on a step, and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, NoReturn, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.features import FeatureQuery
from tbp.monty.backends.numpy.numbers import UnusableNumbers, usable
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = [
    "ChannelQuery",
    "Matches",
    "NodeScores",
    "PlannedWork",
    "SegmentWork",
    "UpdateResult",
    "Work",
    "place_of",
    "raise_unusable",
]

MAX_NEIGHBORS = 64


@dataclass(frozen=True)
class ChannelQuery:
    """What one input channel of one learning module senses, and how it is matched.

    Attributes:
        pose_vectors: Sensed surface normal and curvature directions, shape (3, 3).
        pose_fully_defined: Whether the sensed curvature directions mean anything.
        curvature: The sensed curvature; the larger, the thicker is the region in which
            nodes match.
        normal_weight: How much the surface normal counts.
        direction_weight: How much the first curvature direction counts.
        neighbors: How many nearest nodes are looked at, 1 to 64.
        features: What else is sensed; None if only the pose is matched.
    """

    pose_vectors: npt.NDArray[np.float64]
    pose_fully_defined: bool
    curvature: float
    normal_weight: float = 1.0
    direction_weight: float = 1.0
    neighbors: int = 3
    features: FeatureQuery | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.neighbors <= MAX_NEIGHBORS:
            raise ValueError(
                f"neighbors must be 1 to {MAX_NEIGHBORS}, got {self.neighbors}"
            )


@dataclass(frozen=True)
class SegmentWork:
    """The update of one segment of hypotheses.

    Attributes:
        segment: Its index in the table of hypotheses.
        matches: For each input channel, in the order in which their evidence is added,
            the index of the graph and the index of the query.
        displacement: How the sensor has moved, shape (3,); None if it has not yet.
        threshold: Hypotheses with less evidence are displaced but not tested.
        past_weight: How much the evidence so far counts.
        present_weight: How much the evidence of this step counts.
    """

    segment: int
    matches: Sequence[Tuple[int, int]]
    displacement: npt.NDArray[np.float64] | None = None
    threshold: float = -np.inf
    past_weight: float = 1.0
    present_weight: float = 1.0

    def __post_init__(self) -> None:
        if not self.matches:
            raise ValueError(
                "a segment without input channels is left as it is, not updated"
            )


class Matches(NamedTuple):
    """Which graphs are matched with which queries, for one segment after the other.

    Attributes:
        starts: Where each segment's matches start, and the end, shape (segments + 1,).
        graphs: Shape (matches,).
        queries: Shape (matches,).
    """

    starts: npt.NDArray[np.int64]
    graphs: npt.NDArray[np.int64]
    queries: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Work:
    """All that is to be updated on a step, for any number of learning modules.

    A segment is named at most once.
    """

    queries: Sequence[ChannelQuery]
    segments: Sequence[SegmentWork]

    @cached_property
    def matches(self) -> Matches:
        counts = [len(segment.matches) for segment in self.segments]
        pairs = [match for segment in self.segments for match in segment.matches]
        pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return Matches(
            starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            graphs=pairs[:, 0].copy(),
            queries=pairs[:, 1].copy(),
        )

    @property
    def match_starts(self) -> npt.NDArray[np.int64]:
        """Where the matches of each segment start, when all stand in one row."""
        return self.matches.starts

    @cached_property
    def rows(self) -> SegmentRows:
        segments = self.segments
        nowhere = (0.0, 0.0, 0.0)
        return SegmentRows(
            segments=np.array([s.segment for s in segments], dtype=np.int64),
            is_displaced=np.array(
                [s.displacement is not None for s in segments], dtype=bool
            ),
            displacements=np.array(
                [
                    nowhere if s.displacement is None else s.displacement
                    for s in segments
                ],
                dtype=np.float64,
            ).reshape(-1, 3),
            thresholds=np.array([s.threshold for s in segments], dtype=np.float64),
            past_weights=np.array([s.past_weight for s in segments], dtype=np.float64),
            present_weights=np.array(
                [s.present_weight for s in segments], dtype=np.float64
            ),
        )

    def __len__(self) -> int:
        return len(self.segments)


class SegmentRows(NamedTuple):
    """The numbers of all segments of a work, as arrays with an element each."""

    segments: npt.NDArray[np.int64]
    is_displaced: npt.NDArray[np.bool_]
    displacements: npt.NDArray[np.float64]
    thresholds: npt.NDArray[np.float64]
    past_weights: npt.NDArray[np.float64]
    present_weights: npt.NDArray[np.float64]


@dataclass(frozen=True)
class PlannedWork:
    """The same as a `Work`, made from arrays: with many segments that is faster."""

    queries: Sequence[ChannelQuery]
    matches: Matches
    rows: SegmentRows

    @property
    def match_starts(self) -> npt.NDArray[np.int64]:
        return self.matches.starts

    @cached_property
    def segments(self) -> Sequence[SegmentWork]:
        return [self._segment(position) for position in range(len(self))]

    def __len__(self) -> int:
        return len(self.rows.segments)

    def _segment(self, position: int) -> SegmentWork:
        first, end = self.matches.starts[position : position + 2]
        rows = self.rows
        return SegmentWork(
            segment=int(rows.segments[position]),
            matches=[
                (int(self.matches.graphs[i]), int(self.matches.queries[i]))
                for i in range(first, end)
            ],
            displacement=rows.displacements[position]
            if rows.is_displaced[position]
            else None,
            threshold=float(rows.thresholds[position]),
            past_weight=float(rows.past_weights[position]),
            present_weight=float(rows.present_weights[position]),
        )


class NodeScores(NamedTuple):
    """How well the features of each node match, for each match of a work.

    Attributes:
        values: The scores of all matches, each in the order of the graph's nodes.
        starts: Where each match's scores start; -1 where only the pose is matched.
    """

    values: npt.NDArray[np.float64]
    starts: npt.NDArray[np.int64]

    def of_match(self, match: int, node_count: int) -> npt.NDArray[np.float64]:
        start = self.starts[match]
        if start < 0:
            return np.zeros(node_count)
        return self.values[start : start + node_count]

    @staticmethod
    def room_for(graphs: GraphTable, work: Work) -> NodeScores:
        """Return scores yet to be written, for all matches that have features."""
        matches = work.matches
        has_features = np.array(
            [query.features is not None for query in work.queries], dtype=bool
        )[matches.queries]
        counts = np.where(has_features, graphs.node_counts[matches.graphs], 0)
        ends = np.cumsum(counts)
        return NodeScores(
            values=np.empty(int(ends[-1]) if len(ends) else 0),
            starts=np.where(has_features, ends - counts, -1),
        )


class UpdateResult(NamedTuple):
    """What a learning module reads next, for each segment of a work.

    Attributes:
        highest: The highest evidence; -inf without hypotheses.
        most_likely: The first hypothesis that has it; -1 without hypotheses.
        prediction_error: By how much, from 0 to 1, this step's evidence of the
            formerly most likely hypothesis falls short of the best possible; NaN if no
            hypothesis was tested.
        tested: How many hypotheses had evidence enough to be tested.
    """

    highest: npt.NDArray[np.float64]
    most_likely: npt.NDArray[np.int64]
    prediction_error: npt.NDArray[np.float64]
    tested: npt.NDArray[np.int64]

    @staticmethod
    def room_for(work: Work) -> UpdateResult:
        """Return results yet to be written."""
        count = len(work)
        return UpdateResult(
            highest=np.full(count, -np.inf),
            most_likely=np.full(count, -1, dtype=np.int64),
            prediction_error=np.full(count, np.nan),
            tested=np.zeros(count, dtype=np.int64),
        )


def raise_unusable(table: HypothesisTable, segment: int, hypothesis: int) -> NoReturn:
    """Say which hypothesis stopped an update, and by what.

    Args:
        table: The hypotheses, as they were before.
        segment: The segment of the hypothesis.
        hypothesis: Its place in the segment.

    Raises:
        UnusableNumbers: Always.
    """
    rows = table.rows(segment)
    where = f"{place_of(table, segment)}: hypothesis {hypothesis} of {len(rows)}"
    for what in ("evidence", "locations", "poses"):
        value = getattr(rows, what)[hypothesis]
        if not usable(value).all():
            raise UnusableNumbers(
                f"{where}: {what} must be finite, got {value.tolist()}"
            )
    raise UnusableNumbers(
        f"{where}: its new location or evidence would be NaN or infinite. If it is the "
        "evidence, a nearby node has no value for one of the features sensed, or a "
        "feature is sensed as NaN; take that feature out of the feature weights"
    )


def place_of(table: HypothesisTable, segment: int) -> str:
    key = table.keys[segment]
    return f"learning module {key.learning_module!r}, graph {key.graph!r}"
