# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The one backend that all learning modules of a Monty share."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any, Iterable, Literal

from tbp.monty.backends.failures import CannotRun, WorkLeftPending
from tbp.monty.backends.protocol import Backend, Ticket
from tbp.monty.backends.registry import chosen_backend, open_backend
from tbp.monty.backends.work import EvidenceWork

__all__ = ["SharedBackend", "counts", "share_backend"]

logger = logging.getLogger(__name__)


def share_backend(
    learning_modules: Iterable[Any], backend: str | Backend | None = None
) -> SharedBackend:
    """Open one backend for all learning modules, and give it to each that takes one.

    Args:
        learning_modules: All learning modules of a Monty.
        backend: The name in the config, if there is one, or a backend that is open
            already.

    Returns:
        The backend, to be closed with the Monty.
    """
    if backend is None or isinstance(backend, str):
        backend = open_backend(chosen_backend(backend))
    shared = SharedBackend(backend)
    for lm in learning_modules:
        # Looked up on the class: one that stands in for another learning module may
        # pass on all of its attributes.
        if hasattr(type(lm), "use_backend"):
            lm.use_backend(shared)
    return shared


class SharedBackend:
    """Hands work to a backend, and knows what is pending and what ran.

    It is a backend itself, as far as learning modules can see.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._pending: dict[Ticket, EvidenceWork] = {}
        self._closed = False
        self.ran: Counter[str] = Counter()
        """How many pieces of work the backend ran, by learning module."""
        self.stepped_whole: Counter[str] = Counter()
        """How many steps learning modules ran by themselves, without the backend."""

    @property
    def name(self) -> str:
        return self._backend.name

    @property
    def pending(self) -> list[str]:
        """The learning modules that have not taken the results of their work."""
        return [work.lm_id for work in self._pending.values()]

    def can_run(self, work: EvidenceWork) -> Literal[True] | str:
        return self._backend.can_run(work)

    def dispatch(self, work: EvidenceWork) -> Ticket:
        reason = self.can_run(work)
        if reason is not True:
            raise CannotRun(
                f"backend {self.name!r} cannot run the work of {work.lm_id}: {reason}; "
                "use the backend 'reference'"
            )
        ticket = self._backend.dispatch(work)
        self._pending[ticket] = work
        return ticket

    def wait(self) -> None:
        self._backend.wait()

    def result(self, ticket: Ticket) -> Any:
        work = self._pending.pop(ticket)
        result = self._backend.result(ticket)
        self.ran[work.lm_id] += 1
        return result

    def check_nothing_is_pending(self) -> None:
        """Check that every result was taken.

        Raises:
            WorkLeftPending: If one was not.
        """
        if self._pending:
            pending = ", ".join(self.pending)
            self.drain()
            raise WorkLeftPending(
                f"{pending} dispatched work and did not take its result: the second "
                "half of a step must call the second half of what it overrides"
            )

    def drain(self) -> None:
        """Let go of all work that is pending, after it has run."""
        for ticket in list(self._pending):
            lm_id = self._pending.pop(ticket).lm_id
            try:
                self._backend.result(ticket)
            except Exception:
                # Whoever drains has an exception already, and it is the first one.
                logger.exception("%s: work that nobody waits for failed", lm_id)

    def close(self) -> None:
        """Close the backend, and log what it ran. May be called again."""
        if self._closed:
            return
        self._closed = True
        self._pending.clear()
        summary = self.summary()
        self._backend.close()
        logger.info(summary)

    def summary(self) -> str:
        """Return what ran where, in a line for people."""
        parts = [f"backend {self.name} ran {counts(self.ran, 'evidence update')}"]
        if self.stepped_whole:
            whole = counts(self.stepped_whole, "step")
            parts.append(f"without a backend: {whole}")
        note = getattr(self._backend, "note", str)()
        if note:
            parts.append(note)
        return "; ".join(parts)


def counts(counter: Counter[str], what: str) -> str:
    """Return a sum and its parts, in words.

    Args:
        counter: Counts by learning module.
        what: What is counted, for one of them.
    """
    total = sum(counter.values())
    text = f"{total} {what}{'' if total == 1 else 's'}"
    if not counter:
        return text
    by_lm = ", ".join(f"{lm_id}: {count}" for lm_id, count in sorted(counter.items()))
    return f"{text} ({by_lm})"
