# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The one backend that the hypotheses updaters of a Monty share."""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import contextmanager
from typing import Iterator

from tbp.monty.backends.failures import CannotRun, WorkLeftPending
from tbp.monty.backends.protocol import LMGroup
from tbp.monty.backends.registry import KnownBackend
from tbp.monty.backends.work import EvidenceOutcome, EvidenceWork

__all__ = ["SharedBackend"]

logger = logging.getLogger(__name__)


class SharedBackend:
    """Hands updates to a backend, and counts what it ran.

    Attributes:
        backend: The backend.
        ran: How many updates the backend ran, by learning module.
        ran_alone: How many steps ran without a backend, by learning module.
        reasons: Why, by learning module.
    """

    def __init__(self, backend: KnownBackend) -> None:
        self.backend = backend
        self.ran: Counter[str] = Counter()
        self.ran_alone: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}
        self._pending: dict[EvidenceWork, None] = {}
        self._is_closed = False

    @property
    def name(self) -> str:
        return self.backend.name

    def dispatch(self, work: EvidenceWork) -> None:
        self._pending[work] = None
        try:
            self.backend.dispatch(work)
        except CannotRun as reason:
            del self._pending[work]
            raise CannotRun(
                f"backend {self.name!r} cannot run the update of {work.lm_id}: "
                f"{reason}; use the backend 'reference'"
            ) from None

    def launch(self, group: LMGroup) -> None:
        self.backend.launch(group)

    def result(self, work: EvidenceWork) -> EvidenceOutcome:
        outcome = self.backend.result(work)
        del self._pending[work]
        self.ran[work.lm_id] += 1
        return outcome

    def close(self) -> None:
        """Close the backend, and log what it ran. May be called again."""
        if self._is_closed:
            return
        self._is_closed = True
        self._pending.clear()
        summary = self.summary()
        self.backend.close()
        logger.info(summary)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Run a step of all learning modules. If it fails, its updates are forgotten.

        Raises:
            WorkLeftPending: If the result of an update was not taken: others would read
                the state of its learning module before it is updated.
        """
        self._discard()  # what was dispatched outside of a step
        try:
            yield
            if self._pending:
                lm_ids = ", ".join(work.lm_id for work in self._pending)
                raise WorkLeftPending(
                    f"{lm_ids} dispatched an update and did not take its result: the "
                    "second half of a step must call that of what it overrides"
                )
        finally:
            self._discard()

    def note_alone(self, lm_id: str, reason: str) -> None:
        """Count a step that ran without a backend."""
        self.ran_alone[lm_id] += 1
        self.reasons[lm_id] = reason

    def summary(self) -> str:
        """Return what the backend ran, in one line for people."""
        parts = [f"backend {self.name} ran {_counts(self.ran, 'evidence update')}"]
        if self.ran_alone:
            parts.append(f"without a backend: {_counts(self.ran_alone, 'step')}")
            parts += [f"{lm_id} {why}" for lm_id, why in sorted(self.reasons.items())]
        return "; ".join([*parts, *filter(None, [self.backend.note()])])

    def _discard(self) -> None:
        if self._pending:
            self._pending.clear()
            self.backend.discard()


def _counts(counter: Counter[str], what: str) -> str:
    total = sum(counter.values())
    by_lm = ", ".join(f"{lm_id}: {n}" for lm_id, n in sorted(counter.items()))
    plural = "" if total == 1 else "s"
    return f"{total} {what}{plural}" + (f" ({by_lm})" if by_lm else "")
