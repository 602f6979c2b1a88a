# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A backend that runs work as late as it may, and writes down what happens when.

It stands for one that runs the work of all learning modules at once.
"""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path

from tbp.monty.backends.reference import ReferenceBackend

__all__ = ["Instrumented"]


class Instrumented(ReferenceBackend):
    name = "instrumented"
    summary = "writes down what happens when"

    def __init__(self) -> None:
        super().__init__()
        self._queued: dict[int, object] = {}
        self._run: dict[int, object] = {}
        self._events: list[tuple[str, str | int]] = []
        self._count = 0
        self._watch_votes()

    def dispatch(self, work):
        self._count += 1
        self._queued[self._count] = work
        self._events.append(("dispatch", work.lm_id))
        return self._count

    def wait(self) -> None:
        for ticket, work in self._queued.items():
            self._run[ticket] = super().dispatch(work), work.lm_id
        self._queued = {}

    def result(self, ticket):
        self.wait()
        of_reference, lm_id = self._run.pop(ticket)
        self._events.append(("result", lm_id))
        return super().result(of_reference)

    def close(self) -> None:
        super().close()
        self._events.append(("close", len(self._queued) + len(self._run)))
        events = Path(os.environ["BACKEND_FOLDER"]) / "events.json"
        events.write_text(json.dumps(self._events))

    def _watch_votes(self) -> None:
        from tbp.monty.frameworks.models.graph_matching import (  # noqa: PLC0415
            MontyForGraphMatching,
        )

        vote = MontyForGraphMatching._vote

        @functools.wraps(vote)
        def watched(monty) -> None:
            self._events.append(("vote", len(self._queued) + len(self._run)))
            vote(monty)

        MontyForGraphMatching._vote = watched
