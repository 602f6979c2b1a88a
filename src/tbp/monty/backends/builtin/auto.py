# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The best available backend for each learning module."""

from __future__ import annotations

import functools
import logging
from collections import Counter
from dataclasses import replace
from typing import ClassVar, NamedTuple, Sequence

from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.failures import DEVICE_FAILURES, CannotRun
from tbp.monty.backends.protocol import LMGroup
from tbp.monty.backends.registry import (
    BackendUnavailable,
    KnownBackend,
    known_backends,
    load_backend,
)
from tbp.monty.backends.resident_backend import ResidentBackend
from tbp.monty.backends.work import EvidenceOutcome, EvidenceWork

__all__ = ["AutoBackend", "Move", "by_priority"]

logger = logging.getLogger(__name__)


class Move(NamedTuple):
    """A learning module moved from one backend to another."""

    lm_id: str
    before: str
    after: str
    reason: str

    def __str__(self) -> str:
        return f"{self.lm_id} moved from {self.before} to {self.after}: {self.reason}"


class AutoBackend:
    """Hands work to the available backend with the highest priority.

    If that backend cannot run a learning module's work, or its device fails, the
    learning module moves to the next backend, and finally to `reference`. It keeps its
    hypotheses and stays there. A warning and the summary of the run name it.

    Attributes:
        opened: The backends that were needed so far, by their place in the order.
        ran: How many pieces of work each of them ran, by learning module.
        moves: Which learning modules moved, in order.
    """

    name: ClassVar[str] = "auto"
    where: ClassVar[str] = "best"
    summary: ClassVar[str] = "the best of these that can run a learning module's work"

    def __init__(self, backends: Sequence[type[KnownBackend]] | None = None) -> None:
        """Set up the backends; each is opened when it is first needed.

        Args:
            backends: The backends, the best one first. By default all that are
                available, by their priority; `reference` is always the last.
        """
        chosen = by_priority() if backends is None else backends
        self._backends = [one for one in chosen if one is not ReferenceBackend]
        self._backends.append(ReferenceBackend)
        self.opened: dict[int, KnownBackend] = {}
        self._place: dict[str, int] = {}
        self._given: dict[EvidenceWork, EvidenceWork] = {}
        """What was dispatched, as other backends get it."""
        self.ran: dict[KnownBackend, Counter[str]] = {}
        self.moves: list[Move] = []

    @staticmethod
    def unavailable() -> str | None:
        return None

    def dispatch(self, work: EvidenceWork) -> None:
        if isinstance(work, DescribedWork):
            # Described once, also if several backends are tried.
            described = functools.lru_cache(maxsize=1)(work.describe)
            self._given[work] = replace(work, describe=described)
        else:
            self._given[work] = work
        self._give(self._given[work])

    def launch(self, group: LMGroup) -> None:
        for backend in self.opened.values():
            backend.launch(group)

    def result(self, work: EvidenceWork) -> EvidenceOutcome:
        given = self._given.pop(work)
        while True:
            backend = self._open(self._place[work.lm_id])
            try:
                outcome = backend.result(given)
            except DEVICE_FAILURES as failure:
                self._move_on(work, backend, str(failure))
                self._give(given)
            else:
                self.ran.setdefault(backend, Counter())[work.lm_id] += 1
                return outcome

    def discard(self) -> None:
        self._given.clear()
        for backend in self.opened.values():
            backend.discard()

    def note(self) -> str:
        """Return what each backend ran, and which learning modules moved and why."""
        ran = []
        for backend, counter in self.ran.items():
            updates = ", ".join(f"{lm} {n}" for lm, n in sorted(counter.items()))
            note = backend.note()
            ran.append(f"{backend.name}: {updates}" + (f" ({note})" if note else ""))
        return "; ".join([*ran, *map(str, self.moves)])

    def close(self) -> None:
        self._given.clear()
        while self.opened:
            self.opened.popitem()[1].close()

    def _give(self, work: EvidenceWork) -> None:
        """Dispatch a piece of work to the best backend that takes it."""
        while True:
            backend = self._open(self._place.setdefault(work.lm_id, 0))
            try:
                backend.dispatch(work)
            except (CannotRun, *DEVICE_FAILURES) as reason:
                self._move_on(work, backend, str(reason))
            else:
                return

    def _open(self, place: int) -> KnownBackend:
        if place not in self.opened:
            backend = self.opened[place] = self._backends[place]()
            if isinstance(backend, ResidentBackend):
                backend.may_be_left = True
        return self.opened[place]

    def _move_on(self, work: EvidenceWork, backend: KnownBackend, reason: str) -> None:
        if isinstance(backend, ResidentBackend):
            backend.release(work.lm_id)
        self._place[work.lm_id] += 1
        after = self._backends[self._place[work.lm_id]].name
        self.moves.append(Move(work.lm_id, backend.name, after, reason))
        logger.warning("%s", self.moves[-1])


def by_priority() -> list[type[KnownBackend]]:
    """Return the available backends that have a priority, the highest one first."""
    found = []
    for name in known_backends():
        if name == AutoBackend.name:
            continue
        try:
            found.append(load_backend(name))
        except BackendUnavailable as reason:
            # A machine without a GPU is nothing to report. A fault is.
            if reason.__cause__ is not None:
                logger.warning(reason)
    # Priority is not inherited: a subclass may be slower.
    ranked = [one for one in found if vars(one).get("priority") is not None]
    return sorted(ranked, key=lambda one: vars(one)["priority"], reverse=True)
