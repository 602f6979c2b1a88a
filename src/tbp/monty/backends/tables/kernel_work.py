# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a kernel takes, and what comes out of it."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.numbers import UnusableNumbers, usable, usable_percepts
from tbp.monty.backends.tables.segments import COLUMNS, Hypothesis, Segments

__all__ = ["MAX_NEIGHBORS", "KernelWork", "UpdateResult", "raise_unusable"]

MAX_NEIGHBORS = 64


class KernelWork(NamedTuple):
    """All that is to be updated on a step, for any number of learning modules.

    A segment holds the hypotheses of one graph, and is named at most once. Each
    segment has one match per input channel, in the order in which evidence is added.
    A match pairs a graph with a query: what one channel of one learning module senses.

    Compiled code takes it as it is, hence a named tuple of arrays.

    Attributes:
        revision: Another number whenever one of the arrays has changed that settings
            and graphs decide.
        segments: Their indices in the table of hypotheses, shape (segments,).
        is_displaced: Whether the sensor has moved, shape (segments,).
        displacements: How it has moved, shape (segments, 3).
        thresholds: Hypotheses with less evidence are displaced but not tested, shape
            (segments,).
        past_weights: How much the evidence so far counts, shape (segments,).
        present_weights: How much that of this step counts, shape (segments,).
        match_starts: Where the matches of each segment start, shape (segments + 1,).
        match_graphs: Shape (matches,).
        match_queries: Shape (matches,).
        score_starts: Where the feature evidence of a match's nodes starts; -1 if only
            the pose is matched, shape (matches,).
        score_count: How many nodes have feature evidence, over all matches.
        sensed: Surface normal and first curvature direction, shape (queries, 6).
        direction_known: Whether that direction means anything, shape (queries,).
        curvatures: The larger, the thicker is the region in which nodes match, shape
            (queries,).
        pose_weights: Of normal and direction, shape (queries, 2).
        neighbors: How many nearest nodes to look at, shape (queries,).
        column_starts: Where the feature columns of each query start, shape
            (queries + 1,).
        values: What is sensed in each column, shape (columns of all queries,).
        tolerances: Same shape; see `FeatureQuery` for these.
        weights: Same shape.
        kinds: Same shape.
        increments: The evidence of features that match perfectly, shape (queries,).
    """

    revision: int
    segments: npt.NDArray[np.int64]
    is_displaced: npt.NDArray[np.bool_]
    displacements: npt.NDArray[np.float64]
    thresholds: npt.NDArray[np.float64]
    past_weights: npt.NDArray[np.float64]
    present_weights: npt.NDArray[np.float64]
    match_starts: npt.NDArray[np.int64]
    match_graphs: npt.NDArray[np.int64]
    match_queries: npt.NDArray[np.int64]
    score_starts: npt.NDArray[np.int64]
    score_count: int
    sensed: npt.NDArray[np.float64]
    direction_known: npt.NDArray[np.bool_]
    curvatures: npt.NDArray[np.float64]
    pose_weights: npt.NDArray[np.float64]
    neighbors: npt.NDArray[np.int64]
    column_starts: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    tolerances: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.int8]
    increments: npt.NDArray[np.float64]

    def of_match(
        self, match: int, scores: npt.NDArray[np.float64], node_count: int
    ) -> npt.NDArray[np.float64]:
        """Return the part of the nodes' feature evidence that is of one match."""
        start = self.score_starts[match]
        if start < 0:
            return np.zeros(node_count)
        return scores[start : start + node_count]

    def check(self, table: Segments) -> None:
        """Find what is unusable, if anything is, of what is sensed.

        Hypotheses are checked where kernels read them.

        Args:
            table: The hypotheses.

        Raises:
            UnusableNumbers: If it cannot be computed with.
        """
        is_move_usable = usable(self.displacements).all(axis=1)
        if not is_move_usable.all():
            position = int(np.argmin(is_move_usable))
            raise UnusableNumbers(
                f"{table.owner_of(self.segments[position])}: the displacement must be "
                f"finite, got {self.displacements[position]}"
            )
        is_usable = usable_percepts(self.sensed, self.curvatures)[self.match_queries]
        if is_usable.all():
            return
        match = int(np.argmin(is_usable))
        position = np.searchsorted(self.match_starts, match, side="right") - 1
        query = self.match_queries[match]
        raise UnusableNumbers(
            f"{table.owner_of(self.segments[position])}: pose vectors must be finite "
            f"and the curvature not NaN, got {self.sensed[query].tolist()} and "
            f"{self.curvatures[query]}"
        )


class UpdateResult(NamedTuple):
    """What a learning module reads next, for each segment of a work.

    Attributes:
        highest: The highest evidence; -inf without hypotheses.
        most_likely: The first hypothesis that has it; -1 without hypotheses.
        prediction_error: By how much, from 0 to 1, this step's evidence of the
            formerly most likely hypothesis falls short of the best possible; NaN if no
            hypothesis was tested.
        tested: How many hypotheses had enough evidence to be tested.
    """

    highest: npt.NDArray[np.float64]
    most_likely: npt.NDArray[np.int64]
    prediction_error: npt.NDArray[np.float64]
    tested: npt.NDArray[np.int64]

    @staticmethod
    def room_for(work: KernelWork) -> UpdateResult:
        """Return results yet to be written."""
        count = len(work.segments)
        return UpdateResult(
            highest=np.full(count, -np.inf),
            most_likely=np.full(count, -1, dtype=np.int64),
            prediction_error=np.full(count, np.nan),
            tested=np.zeros(count, dtype=np.int64),
        )


def raise_unusable(owner: str, place: int, count: int, row: Hypothesis) -> NoReturn:
    """Say which hypothesis stopped an update, and why.

    Args:
        owner: Whose hypothesis it is.
        place: Its place among the others.
        count: How many there are.
        row: The hypothesis, as it was before.

    Raises:
        UnusableNumbers: Always.
    """
    where = f"{owner}: hypothesis {place} of {count}"
    for what, value in zip(COLUMNS, row, strict=True):
        if not usable(value).all():
            number = np.asarray(value).tolist()
            raise UnusableNumbers(f"{where}: {what} must be finite, got {number}")
    raise UnusableNumbers(
        f"{where}: its new location or evidence would be NaN or infinite. If it is the "
        "evidence, a nearby node has no value for one of the features sensed, or a "
        "feature is sensed as NaN; take that feature out of the feature weights"
    )
