# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The learning modules' own update, through the protocol of backends."""

from __future__ import annotations

import threading
from typing import ClassVar, Literal

from tbp.monty.backends.protocol import Ticket
from tbp.monty.backends.work import EvidenceWork

__all__ = ["ReferenceBackend"]


class ReferenceBackend:
    """Runs each learning module's own Python code, when it is dispatched.

    There is nothing to wait for: work has run when `dispatch` returns. What it raised
    is raised when its result is asked for, as with a backend that runs it later.
    """

    name: ClassVar[str] = "reference"
    where: ClassVar[str] = "CPU"
    summary: ClassVar[str] = "upstream's own code; the default"

    def __init__(self) -> None:
        self._errors: dict[Ticket, BaseException | None] = {}
        self._dispatched = 0
        self._running: list[threading.Thread] = []
        self._closing = False

    @staticmethod
    def unavailable() -> str | None:
        return None

    def can_run(self, work: EvidenceWork) -> Literal[True]:  # noqa: ARG002
        return True

    def dispatch(self, work: EvidenceWork) -> Ticket:
        update = self._in_threads if work.in_threads else self._one_by_one
        self._dispatched += 1
        self._errors[self._dispatched] = update(work)
        return self._dispatched

    def wait(self) -> None:
        pass

    def result(self, ticket: Ticket) -> None:
        error = self._errors.pop(ticket)
        if error is not None:
            raise error

    def close(self) -> None:
        self._closing = True
        self._join()
        self._errors.clear()

    def _one_by_one(self, work: EvidenceWork) -> Exception | None:
        try:
            for graph_id in work.graph_ids:
                work.update_graph(graph_id)
        except Exception as error:  # noqa: BLE001
            return error
        return None

    def _in_threads(self, work: EvidenceWork) -> BaseException | None:
        # A thread a graph: the graphs do not depend on each other.
        errors: dict[str, BaseException] = {}

        def update(graph_id: str) -> None:
            if self._closing:
                return
            try:
                work.update_graph(graph_id)
            except BaseException as error:  # noqa: BLE001
                errors[graph_id] = error

        threads = [
            threading.Thread(
                target=update, args=(graph_id,), name=f"{work.lm_id} {graph_id}"
            )
            for graph_id in work.graph_ids
        ]
        self._join()  # what an interrupt left running
        for thread in threads:
            self._running.append(thread)
            thread.start()
        self._join()
        failed = [errors[graph_id] for graph_id in work.graph_ids if graph_id in errors]
        return failed[0] if failed else None

    def _join(self) -> None:
        while self._running:
            self._running[0].join()
            self._running.pop(0)
