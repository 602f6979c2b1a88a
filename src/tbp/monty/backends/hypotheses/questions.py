# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What learning modules ask of hypotheses, wherever these are, and how they change."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Sequence, TypeVar

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.failures import DEVICE_FAILURES
from tbp.monty.backends.hypotheses.resident import Owner, Resident
from tbp.monty.backends.numpy.votes import VotesForGraph, evidence_with_votes
from tbp.monty.backends.tables.likely_rows import LikelyRows
from tbp.monty.backends.tables.segments import Hypothesis, Segments

__all__ = [
    "add_votes",
    "displace",
    "highest_slope",
    "known_evidence",
    "likely_hypotheses",
    "most_likely",
    "most_likely_graph",
    "one_hypothesis",
    "second_most_likely",
]

T = TypeVar("T")


def known_evidence(
    hypotheses: Mapping[str, Any], graph_ids: Sequence[str]
) -> tuple[list[str], npt.NDArray[np.float64]] | None:
    """Return the highest evidence of each graph that has hypotheses.

    Args:
        hypotheses: The hypotheses of a learning module, by graph.
        graph_ids: The graphs.

    Returns:
        The graphs, and the evidence; None if none has hypotheses, or unless one table
        has them all.
    """

    def highest(
        owner: Owner, table: Segments, segments: list[int]
    ) -> tuple[list[str], npt.NDArray[np.float64]] | None:
        del owner
        table.know(segments)
        filled = np.flatnonzero(table.counts[segments])
        graphs = [graph_ids[i] for i in filled.tolist()]
        return (graphs, table.highest[segments][filled]) if graphs else None

    return _ask_all(map(hypotheses.get, graph_ids), highest)


def most_likely_graph(
    hypotheses: Mapping[str, Any], graph_ids: Sequence[str]
) -> str | None:
    """Return the first graph with the highest evidence; None as `known_evidence`."""
    known = known_evidence(hypotheses, graph_ids)
    return None if known is None else known[0][int(known[1].argmax())]


def most_likely(of_graph: Any) -> np.intp | None:
    """Return the first hypothesis with the highest evidence; None if there is none."""
    place = _asked(of_graph, _most_likely)
    if place is None:
        evidence = of_graph.evidence
        return np.argmax(evidence) if len(evidence) else None
    return np.intp(place) if place >= 0 else None


def second_most_likely(of_graph: Any) -> np.intp:
    """Return the hypothesis with the second highest evidence.

    Args:
        of_graph: At least two hypotheses. If several have the same evidence,
            `np.argsort` decides.
    """
    second = _asked(of_graph, lambda table, one: table.second_most_likely(one))
    return np.argsort(of_graph.evidence)[-2] if second is None else np.intp(second)


def one_hypothesis(of_graph: Any, place: int) -> Hypothesis:
    """Return one hypothesis, without copying the others."""

    def at_place(table: Segments, segment: int) -> Hypothesis | None:
        # From the end, and beyond it, as an array has it.
        if not 0 <= place < table.counts[segment]:
            return None
        return table.hypothesis(segment, int(place))

    found = _asked(of_graph, at_place)
    if found is None:
        evidence, locations = of_graph.evidence, of_graph.locations
        found = Hypothesis(evidence[place], locations[place], of_graph.poses[place])
    return found


def displace(
    hypotheses: Mapping[str, Any], displacement: npt.NDArray[np.float64]
) -> list[str]:
    """Displace the hypotheses that tables have: all of them, or none.

    Args:
        hypotheses: The hypotheses of a learning module, by graph.
        displacement: How the sensor has moved, shape (3,).

    Returns:
        The graphs whose hypotheses no table has.
    """
    segments: dict[Owner, list[int]] = {}
    for one in hypotheses.values():
        if (owner := _owner(one)) is not None:
            segments.setdefault(owner, []).append(one.segment)

    def change(owner: Owner, table: Segments) -> None:
        filled = [one for one in segments[owner] if table.counts[one]]
        if filled:
            owner.engine.displace(table, filled, displacement)

    changed = _changed(segments, change)
    others = [one for one in hypotheses if _owner(hypotheses[one]) not in changed]
    _commit(changed)
    return others


def add_votes(votes: Sequence[tuple[Any, VotesForGraph]]) -> None:
    """Add the votes of a voting round: all of them, or none.

    Args:
        votes: The hypotheses of different graphs and learning modules, and the votes
            for each.
    """
    by_segment: dict[Owner, dict[int, VotesForGraph]] = {}
    others = []
    for one, for_graph in votes:
        owner = _owner(one)
        if owner is None or for_graph.weights is not None:
            others.append((one, for_graph))
        else:
            by_segment.setdefault(owner, {})[one.segment] = for_graph

    def change(owner: Owner, table: Segments) -> None:
        filled = {one: of for one, of in by_segment[owner].items() if table.counts[one]}
        if filled:
            owner.engine.add_votes(table, filled)

    changed = _changed(by_segment, change)
    if len(changed) < len(by_segment):
        # Some have left their table.
        others = [(one, of) for one, of in votes if _owner(one) not in changed] + [
            (one, of) for one, of in others if _owner(one) in changed
        ]
    added = [
        (one, evidence_with_votes(evidence, one.locations, for_graph))
        for one, for_graph in others
        if len(evidence := one.evidence)
    ]
    _commit(changed)
    for one, evidence in added:
        one.evidence = evidence


def likely_hypotheses(
    hypotheses: Mapping[str, Any], threshold: float
) -> LikelyRows | None:
    """Return the likely hypotheses of a learning module.

    Args:
        hypotheses: All of its hypotheses, by graph.
        threshold: How much evidence is needed, on the scale from -1 to 1.

    Returns:
        These hypotheses; None unless one table has them all.
    """
    return _ask_all(
        hypotheses.values(),
        lambda owner, table, of_lm: owner.engine.likely_rows(table, of_lm, threshold),
    )


def highest_slope(trackers: Mapping[str, Any]) -> float | None:
    """Return the highest finite slope, or -inf; None unless one table has all slopes.

    Args:
        trackers: What has the slopes of a learning module's hypotheses, by graph.
    """
    return _ask_all(
        trackers.values(), lambda _, table, of_lm: table.highest_slope(of_lm)
    )


def _owner(one: Any) -> Owner | None:
    """Return what holds the table that has something; None if it is in no table."""
    return one.owner if isinstance(one, Resident) else None


def _asked(of_graph: Any, question: Callable[[Segments, int], T]) -> T | None:
    """Return what a table answers; None if the hypotheses are in none."""
    return of_graph.ask(question) if isinstance(of_graph, Resident) else None


def _most_likely(table: Segments, segment: int) -> int:
    table.know([segment])
    return int(table.most_likely[segment])


def _in_one_table(each: Iterable[Any]) -> tuple[Owner, list[int]] | None:
    """Return the owner of the table that has all, and the segments."""
    owners, segments = set(), []
    for one in each:
        owner = _owner(one)
        if owner is None:
            return None
        owners.add(owner)
        segments.append(one.segment)
    return (owners.pop(), segments) if len(owners) == 1 else None


def _ask_all(
    each: Iterable[Any], question: Callable[[Owner, Segments, list[int]], T]
) -> T | None:
    """Return what a table answers of all; None unless one table has them."""
    found = _in_one_table(each)
    if found is None:
        return None
    owner, segments = found
    try:
        return question(owner, owner.settle(), segments)
    except DEVICE_FAILURES as failure:
        owner.leave(failure)
    return None


def _changed(
    owners: Iterable[Owner], change: Callable[[Owner, Segments], None]
) -> dict[Owner, Segments]:
    """Return forks of tables, changed; none of those that were left for a failure."""
    changed = {}
    for owner in owners:
        table = owner.settle().fork()
        try:
            change(owner, table)
        except DEVICE_FAILURES as failure:
            owner.leave(failure)
        else:
            changed[owner] = table
    return changed


def _commit(changed: Mapping[Owner, Segments]) -> None:
    for owner, table in changed.items():
        owner.table = table
