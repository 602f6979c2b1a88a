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

import logging
from collections import Counter
from typing import ClassVar, Literal, NamedTuple, Sequence

from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.backends.protocol import Backend, LMGroup
from tbp.monty.backends.registry import (
    BackendUnavailable,
    known_backends,
    load_backend,
)
from tbp.monty.backends.resident_backend import OutOfDeviceMemory, ResidentBackend
from tbp.monty.backends.work import EvidenceWork

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

    If that backend cannot run a learning module's work, or has no memory for it, the
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

    def __init__(self, backends: Sequence[type[Backend]] | None = None) -> None:
        """Set up the backends; each is opened when it is first needed.

        Args:
            backends: The backends, the best one first. By default all that are
                available, by their priority; `reference` is always the last.
        """
        chosen = by_priority() if backends is None else backends
        self._backends = [one for one in chosen if one is not ReferenceBackend]
        self._backends.append(ReferenceBackend)
        self.opened: dict[int, Backend] = {}
        self._place: dict[str, int] = {}
        self._given: dict[EvidenceWork, tuple[Backend, LMGroup]] = {}
        self.ran: dict[Backend, Counter[str]] = {}
        self.moves: list[Move] = []

    @staticmethod
    def unavailable() -> str | None:
        return None

    def can_run(self, work: EvidenceWork) -> Literal[True]:  # noqa: ARG002
        return True

    def dispatch(self, work: EvidenceWork, group: LMGroup) -> None:
        self._given[work] = self._give(work, group), group

    def launch(self, group: LMGroup) -> None:
        for backend in self.opened.values():
            backend.launch(group)

    def result(self, work: EvidenceWork) -> None:
        backend, group = self._given.pop(work)
        while True:
            try:
                backend.result(work)
                break
            except OutOfDeviceMemory as full:
                self._move_on(work, backend, str(full))
                backend = self._give(work, group)
        self.ran.setdefault(backend, Counter())[work.lm_id] += 1

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

    def _give(self, work: EvidenceWork, group: LMGroup) -> Backend:
        """Dispatch a piece of work to the best backend that takes it."""
        while True:
            backend = self._open(self._place.setdefault(work.lm_id, 0))
            reason = backend.can_run(work)
            if reason is True:
                try:
                    backend.dispatch(work, group)
                except OutOfDeviceMemory as full:
                    reason = str(full)
                else:
                    return backend
            self._move_on(work, backend, reason)

    def _open(self, place: int) -> Backend:
        if place not in self.opened:
            self.opened[place] = self._backends[place]()
        return self.opened[place]

    def _move_on(self, work: EvidenceWork, backend: Backend, reason: str) -> None:
        if isinstance(backend, ResidentBackend):
            backend.release(work)
        self._place[work.lm_id] += 1
        after = self._backends[self._place[work.lm_id]].name
        self.moves.append(Move(work.lm_id, backend.name, after, reason))
        logger.warning("%s", self.moves[-1])


def by_priority() -> list[type[Backend]]:
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
