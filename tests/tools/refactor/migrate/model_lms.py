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
from contextlib import contextmanager
from typing import Any, Iterator, Sequence

import numpy as np

from tbp.monty.backends import SharedBackend
from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.frameworks.models.honoured_overrides import (
    HonouringLMSteps,
    half,
    refuse_mixed_overrides,
)
from tests.tools.refactor.migrate.random_methods import Recorder

__all__ = ["TwoPhaseLM", "UpstreamLM", "step_as_monty_does"]

GRAPHS = ("mug", "cup")
_UPDATE = 91


class _ModelLM(Recorder):
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
        return {name: value for name, value in vars(self).items() if name not in shared}


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
    """Dispatch the steps of learning modules, each with its list, and process them."""
    backend = SharedBackend(ReferenceBackend())  # of which the models make no use
    steps = HonouringLMSteps(lms, step_type, backend)
    for i in steps.each([tuple(range(len(lms)))]):
        steps.dispatch(i, ctx, [*percepts])
    steps.process()
