# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A backend that runs work as late as it may, and records the order of events.

It stands in for a backend that runs the work of all learning modules together.
"""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path

from tbp.monty.backends import EvidenceOutcome, EvidenceWork
from tbp.monty.backends.builtin.reference import ReferenceBackend

__all__ = ["Instrumented"]


class Instrumented(ReferenceBackend):
    name = "instrumented"
    summary = "writes down what happens when"

    def __init__(self) -> None:
        super().__init__()
        self._queued: list[EvidenceWork] = []
        self._run: set[object] = set()
        self._events: list[tuple[str, str | int]] = []
        self._watch_votes()

    def dispatch(self, work: EvidenceWork) -> None:
        self._queued.append(work)
        self._events.append(("dispatch", work.lm_id))

    def result(self, work: EvidenceWork) -> EvidenceOutcome:
        for queued in self._queued:
            super().dispatch(queued)
            self._run.add(queued)
        self._queued = []
        self._run.remove(work)
        self._events.append(("result", work.lm_id))
        return super().result(work)

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
