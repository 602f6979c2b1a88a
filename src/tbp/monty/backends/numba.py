# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""All hypotheses of all learning modules in one compiled kernel."""

from __future__ import annotations

import importlib.util
from typing import ClassVar, Literal

from tbp.monty.backends.engine import HostEngine
from tbp.monty.backends.features import FeatureColumnMismatch
from tbp.monty.backends.numbers import UnusableNumbers
from tbp.monty.backends.protocol import Ticket
from tbp.monty.backends.stacked_update import StackedUpdate, by_kind
from tbp.monty.backends.work import EvidenceWork

__all__ = ["NumbaBackend"]


class NumbaBackend:
    """Queues what is dispatched, and runs it when the first result is asked for."""

    name: ClassVar[str] = "numba"
    where: ClassVar[str] = "CPU"
    summary: ClassVar[str] = "one compiled kernel for all hypotheses, multi-threaded"
    priority: ClassVar[int] = 100

    def __init__(self) -> None:
        from tbp.monty.backends import numba_kernel  # noqa: PLC0415

        self._update = StackedUpdate(HostEngine(numba_kernel))
        self._dispatched = 0
        self._queued: dict[Ticket, EvidenceWork] = {}
        self._errors: dict[Ticket, Exception | None] = {}

    @staticmethod
    def unavailable() -> str | None:
        if importlib.util.find_spec("numba") is None:
            return "numba is not installed; pip install 'tbp.monty[cpu]'"
        return None

    def can_run(self, work: EvidenceWork) -> Literal[True] | str:
        return StackedUpdate.can_run(work)

    def dispatch(self, work: EvidenceWork) -> Ticket:
        self._dispatched += 1
        self._queued[self._dispatched] = work
        return self._dispatched

    def wait(self) -> None:
        queued, self._queued = self._queued, {}
        for of_kind in by_kind(queued):
            self._run(of_kind)

    def result(self, ticket: Ticket) -> None:
        self.wait()
        error = self._errors.pop(ticket)
        if error is not None:
            raise error

    def release(self, work: EvidenceWork) -> None:
        """Leave to a learning module all that is held of it."""
        self._update.release(work)

    def close(self) -> None:
        self._queued.clear()
        self._errors.clear()
        self._update.close()

    def _run(self, queued: dict[Ticket, EvidenceWork]) -> None:
        try:
            self._update.run(list(queued.values()))
            self._errors.update(dict.fromkeys(queued))
        except (FeatureColumnMismatch, UnusableNumbers):
            # The input of one of them, found before anything changed: the others go on.
            self._run_one_by_one(queued)
        except Exception as error:  # noqa: BLE001 raised with the results
            self._errors.update(dict.fromkeys(queued, error))

    def _run_one_by_one(self, queued: dict[Ticket, EvidenceWork]) -> None:
        for ticket, work in queued.items():
            self._errors[ticket] = self._error_of(work)

    def _error_of(self, work: EvidenceWork) -> Exception | None:
        try:
            self._update.run([work])
        except Exception as error:  # noqa: BLE001 raised with the result
            return error
        return None
