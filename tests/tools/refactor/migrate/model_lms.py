# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Small models of a learning module: as upstream has it, and as the series makes it.

Both log what they do. The second has its halves, and runs updates either when they are
dispatched or when their results are asked for.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from typing import Any

from tbp.monty.frameworks.models.two_phase import TwoPhaseMethods
from tests.tools.refactor.phases.random_methods import Recorder

__all__ = ["TwoPhaseLM", "UpstreamLM"]

GRAPHS = ("mug", "cup")
_UPDATE = 91


class _ModelLM(Recorder):
    fails_in_update = True

    def __init__(self, plan: int) -> None:
        super().__init__(plan)
        self.by_graph: dict[str, list[Any]] = {graph_id: [] for graph_id in GRAPHS}

    def get_all_known_object_ids(self) -> list[str]:
        return [*GRAPHS]

    def note(self, graph_id: str, *values: Any) -> None:
        """Note what is done for one graph, apart: graphs are updated in any order."""
        self.by_graph[graph_id].append(values)

    def updater(self) -> AbstractContextManager:
        return self.context(95) if self.fails_in_update else nullcontext()

    def exploratory_step(self, ctx, percepts):
        self.log.append(("explore", ctx, percepts))

    def _update_evidence(self, features, displacement, graph_id):
        self.note(graph_id, "update", features, displacement)
        if self.fails_in_update:
            self._fail_if_planned(_UPDATE, 5)

    def seen(self) -> dict[str, Any]:
        return {"log": self.log, "by_graph": self.by_graph, "kept": self.kept}


class UpstreamLM(_ModelLM):
    """Steps in one go."""

    def matching_step(self, ctx, percepts):
        self.log.append(("match", ctx, percepts))
        if not percepts:
            return
        self._compute_possible_matches(ctx, percepts, first_movement_detected=True)
        self.log.append(("matched",))

    def _compute_possible_matches(self, ctx, percepts, first_movement_detected=True):
        self.log.append(("compute", first_movement_detected))
        self._update_possible_matches(ctx, [percepts, ctx])

    def _update_possible_matches(self, ctx, query):  # noqa: ARG002
        with self.updater():
            for graph_id in self.get_all_known_object_ids():
                self._update_evidence(query[0], query[1], graph_id)
            self.log.append(("chosen",))


@dataclass(frozen=True)
class _PendingStep:
    matches: Any


@dataclass(frozen=True)
class _PendingUpdate:
    update: _Update
    stack: ExitStack


class _Update:
    """The update of all graphs, which keeps what it raises until asked."""

    def __init__(self, lm: TwoPhaseLM, query) -> None:
        self._lm, self._query = lm, query
        self._error: Exception | None = None
        self._ran = False
        if not lm.deferred:
            self._run()

    def result(self) -> None:
        if not self._ran:
            self._run()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        self._ran = True
        try:
            for graph_id in self._lm.get_all_known_object_ids():
                self._lm._update_evidence(self._query[0], self._query[1], graph_id)
        except Exception as error:  # noqa: BLE001
            self._error = error


class TwoPhaseLM(TwoPhaseMethods, _ModelLM):
    """Steps in two halves, as `GraphLM` and `EvidenceGraphLM` of the fork do."""

    deferred = False

    def matching_step(self, ctx, percepts):
        pending = TwoPhaseLM.dispatch_matching_step(self, ctx, percepts)
        TwoPhaseLM.process_matching_step(self, pending)

    def dispatch_matching_step(self, ctx, percepts):
        self.log.append(("match", ctx, percepts))
        if not percepts:
            return None
        matches = self._dispatch_compute_possible_matches(
            ctx, percepts, first_movement_detected=True
        )
        return _PendingStep(matches)

    def process_matching_step(self, pending):
        if pending is None:
            return
        self._process_compute_possible_matches(pending.matches)
        self.log.append(("matched",))

    def _compute_possible_matches(self, ctx, percepts, first_movement_detected=True):
        pending = TwoPhaseLM._dispatch_compute_possible_matches(
            self, ctx, percepts, first_movement_detected
        )
        TwoPhaseLM._process_compute_possible_matches(self, pending)

    def _dispatch_compute_possible_matches(
        self, ctx, percepts, first_movement_detected=True
    ):
        self.log.append(("compute", first_movement_detected))
        return self._dispatch_update_possible_matches(ctx, [percepts, ctx])

    def _process_compute_possible_matches(self, pending):
        self._process_update_possible_matches(pending)

    def _update_possible_matches(self, ctx, query):
        pending = TwoPhaseLM._dispatch_update_possible_matches(self, ctx, query)
        TwoPhaseLM._process_update_possible_matches(self, pending)

    def _dispatch_update_possible_matches(self, ctx, query):  # noqa: ARG002
        with ExitStack() as stack:
            stack.enter_context(self.updater())
            update = _Update(self, query)
            return _PendingUpdate(update, stack.pop_all())

    def _process_update_possible_matches(self, pending):
        with pending.stack:
            pending.update.result()
            self.log.append(("chosen",))
