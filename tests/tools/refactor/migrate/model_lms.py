# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Small models of a learning module: as upstream has it, and as the series makes it.

Both log what they do. The second has the halves of the fork's `EvidenceGraphLM`, and is
stepped as the fork steps it.
"""

from __future__ import annotations

import copy
import functools
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from tbp.monty.frameworks.models.honoured_overrides import (
    half,
    refuse_mixed_overrides,
)

__all__ = ["TwoPhaseLM", "UpstreamLM", "step_as_monty_does"]

GRAPHS = ("mug", "cup")
_UPDATE = 91


class _Recorder:
    """Records what is done to it, and fails where its plan says so.

    Every call in a generated method has a number. With it, `plan` decides which calls
    raise, which conditions hold and which contexts swallow exceptions.
    """

    swallows = True

    def __init__(self, plan: int) -> None:
        self.plan = plan
        self.log: list[Any] = []
        self.kept: Any = None

    def step(self, number: int, *values: Any, **named: Any) -> int:
        self.log.append(("step", number, values, named))
        self._fail_if_planned(number, 7)
        return number + sum(value for value in values if isinstance(value, int))

    def holds(self, number: int) -> bool:
        self.log.append(("holds", number))
        return self._planned(number, 2)

    def some(self, number: int) -> range:
        return range(self.plan % (number + 2) % 3)

    def _planned(self, number: int, one_in: int) -> bool:
        return hash((self.plan, number, one_in)) % one_in == 0

    def _fail_if_planned(self, number: int, one_in: int) -> None:
        if self.plan % 4 and self._planned(number, one_in):
            raise ValueError(number)


class _ModelLM(_Recorder):
    """What both models share; it models `GraphLM`, the base of `EvidenceGraphLM`."""

    fails_in_update = True

    def __init__(self, plan: int) -> None:
        super().__init__(plan)
        self.by_graph: dict[str, list[Any]] = {graph_id: [] for graph_id in GRAPHS}
        self.buffer: list[Any] = []
        self._hypotheses = dict.fromkeys(GRAPHS, 0)

    def get_all_known_object_ids(self) -> list[str]:
        return [*GRAPHS]

    def note(self, graph_id: str, *values: Any) -> None:
        """Log what is done per graph, as graphs are updated in any order."""
        self.by_graph[graph_id].append(values)

    def entered(self, number: int) -> None:
        self.log.append(("enter", number))
        self._fail_if_planned(number, 13)

    def swallows_on_leaving(self, number: int, error: Exception | None) -> bool:
        self.log.append(("leave", number, error and error.args))
        self._fail_if_planned(number, 17)
        return self.swallows and self._planned(number, 3)

    @contextmanager
    def updater(self) -> Iterator[None]:
        """Enter the updater, which never swallows an exception."""
        self.log.append(("enter updater",))
        if self.fails_in_update:
            self._fail_if_planned(95, 13)
        try:
            yield
        finally:
            self.log.append(("leave updater",))

    def exploratory_step(self, ctx, percepts):
        self.log.append(("explore", ctx, [*percepts]))

    def _begin(self, ctx, percepts):
        """Keep what is sensed, and in which state of numpy."""
        self.log.append(("match", ctx, [*percepts], np.geterr()["divide"]))
        self.buffer.append(len(percepts))

    def _compute_possible_matches(self, ctx, percepts, first_movement_detected=True):
        query = self._make_query(ctx, percepts, first_movement_detected)
        self._update_possible_matches(ctx, query=query)

    def _make_query(self, ctx, percepts, first_movement_detected):
        self.log.append(("query", first_movement_detected))
        return [percepts, ctx]

    def _update_evidence(self, features, displacement, graph_id):
        self.note(graph_id, "update", copy.deepcopy(features), displacement)
        self._hypotheses[graph_id] += 1 + len(features)
        if self.fails_in_update:
            self._fail_if_planned(_UPDATE, 5)

    def seen(self) -> dict[str, Any]:
        """Return the whole state, without what others have, too."""
        shared = ("backend", "neighbors", "peers")
        own = sorted(vars(self).items())
        return {name: value for name, value in own if name not in shared}


class UpstreamLM(_ModelLM):
    """Steps in one go."""

    def matching_step(self, ctx, percepts):
        self._begin(ctx, percepts)
        if not percepts:
            return
        self._compute_possible_matches(ctx, percepts, first_movement_detected=True)
        self.log.append(("matched",))

    def _update_possible_matches(self, ctx, query):  # noqa: ARG002
        with self.updater():
            for graph_id in self.get_all_known_object_ids():
                self._update_evidence(query[0], query[1], graph_id)
            self.log.append(("chosen",))


class TwoPhaseLM(_ModelLM):
    """Steps in two halves. The whole methods call the halves."""

    defers = False
    """Whether graphs are updated when results are asked for."""

    def __init__(self, plan: int) -> None:
        super().__init__(plan)
        refuse_mixed_overrides(type(self), TwoPhaseLM)

    def matching_step(self, ctx, percepts):
        self.process_matching_step(self.dispatch_matching_step(ctx, percepts))

    def dispatch_matching_step(self, ctx, percepts):
        self._begin(ctx, percepts)
        if not percepts:
            return None
        dispatch = half(self, "_dispatch_compute_possible_matches")
        return dispatch(ctx, percepts, first_movement_detected=True)

    def process_matching_step(self, work):
        if work is None:
            return
        half(self, "_process_compute_possible_matches")(work)
        self.log.append(("matched",))

    def _dispatch_compute_possible_matches(
        self, ctx, percepts, first_movement_detected=True
    ):
        query = self._make_query(ctx, percepts, first_movement_detected)
        return half(self, "_dispatch_update_possible_matches")(ctx, query=query)

    def _process_compute_possible_matches(self, work):
        half(self, "_process_update_possible_matches")(work)

    def _compute_possible_matches(self, ctx, percepts, first_movement_detected=True):
        self._process_compute_possible_matches(
            self._dispatch_compute_possible_matches(
                ctx, percepts, first_movement_detected
            )
        )

    def _update_possible_matches(self, ctx, query):
        work = self._dispatch_update_possible_matches(ctx, query)
        self._process_update_possible_matches(work)

    def _dispatch_update_possible_matches(self, ctx, query):  # noqa: ARG002
        work = self._updated(self.get_all_known_object_ids(), query)
        if not self.defers:
            next(work)
        return work

    def _process_update_possible_matches(self, work):
        for _ in work:
            pass

    def _updated(self, graph_ids, query):
        """Update graphs up to the first stop, and choose after it."""
        with self.updater():
            for graph_id in graph_ids:
                self._update_evidence(query[0], query[1], graph_id)
            yield
            self.log.append(("chosen",))


def step_as_monty_does(
    lms: Sequence[TwoPhaseLM], step_type: str, ctx: int, percepts: list[int]
) -> None:
    """Dispatch the steps of learning modules, each with its list, and process them.

    Those before one that raises an exception are processed: their states are compared.
    """
    pending: list[Callable[[], Any]] = []
    try:
        for lm in lms:
            given = (ctx, [*percepts])
            if _has_halves(type(lm), step_type):
                work = getattr(lm, f"dispatch_{step_type}")(*given)
                process = getattr(lm, f"process_{step_type}")
                pending.append(functools.partial(process, work))
            else:
                pending.append(functools.partial(getattr(lm, step_type), *given))
    finally:
        for finish in pending:
            finish()


def _has_halves(kind: type, step_type: str) -> bool:
    for base in kind.__mro__:
        if {f"dispatch_{step_type}", f"process_{step_type}"} & {*vars(base)}:
            return True
        if step_type in vars(base):
            return False
    return False
