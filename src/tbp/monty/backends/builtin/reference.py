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

from tbp.monty.backends.protocol import LMGroup
from tbp.monty.backends.work import EvidenceWork

__all__ = ["ReferenceBackend"]


class ReferenceBackend:
    """Runs each learning module's own Python code, synchronously on dispatch."""

    name: ClassVar[str] = "reference"
    where: ClassVar[str] = "CPU"
    summary: ClassVar[str] = "the learning modules' own code; the default"

    def __init__(self) -> None:
        self._running: list[_Update] = []

    @staticmethod
    def unavailable() -> str | None:
        return None

    def can_run(self, work: EvidenceWork) -> Literal[True]:  # noqa: ARG002
        return True

    def dispatch(self, work: EvidenceWork, group: LMGroup) -> None:  # noqa: ARG002
        if work.in_threads:
            self._update_in_threads(work)
            return
        for graph_id in work.graph_ids:
            work.update_graph(graph_id)

    def launch(self, group: LMGroup) -> None:
        pass

    def result(self, work: EvidenceWork) -> None:
        pass

    def note(self) -> str:
        return ""

    def close(self) -> None:
        self._wait_for_threads()

    def _update_in_threads(self, work: EvidenceWork) -> None:
        # One thread per graph: the graphs do not depend on each other.
        self._wait_for_threads()  # an interrupt may have left some running
        updates = [_Update(work, graph_id) for graph_id in work.graph_ids]
        for update in updates:
            self._running.append(update)
            update.start()
        self._wait_for_threads()
        for update in updates:
            if update.error is not None:
                raise update.error

    def _wait_for_threads(self) -> None:
        while self._running:
            if self._running[0].ident is not None:  # Otherwise it was not started.
                # Not `join`: after an interrupt it may return while the thread runs.
                self._running[0].finished.wait()
            self._running.pop(0)


class _Update(threading.Thread):
    """Updates one graph, and keeps the exception if that fails."""

    def __init__(self, work: EvidenceWork, graph_id: str) -> None:
        super().__init__(name=f"{work.lm_id} {graph_id}")
        self._work = work
        self._graph_id = graph_id
        self.error: BaseException | None = None
        self.finished = threading.Event()

    def run(self) -> None:
        try:
            self._work.update_graph(self._graph_id)
        except BaseException as error:  # noqa: BLE001
            self.error = error
        finally:
            self.finished.set()
