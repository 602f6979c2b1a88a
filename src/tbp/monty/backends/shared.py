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
from contextlib import nullcontext
from typing import Any, ContextManager, Iterable

from tbp.monty.backends.failures import CannotRun, WorkLeftPending
from tbp.monty.backends.protocol import Backend, LMGroup
from tbp.monty.backends.work import EvidenceWork

__all__ = ["SharedBackend", "share_backend"]

logger = logging.getLogger(__name__)


def share_backend(
    learning_modules: Iterable[object], backend: Backend
) -> SharedBackend:
    """Share one backend between all learning modules that take one.

    Args:
        learning_modules: All learning modules of a Monty.
        backend: An open backend.

    Returns:
        The backend, to be closed with the Monty.
    """
    shared = SharedBackend(backend)
    for lm in learning_modules:
        # On the class: an object with `__getattr__` may seem to have any attribute.
        if hasattr(type(lm), "use_backend"):
            lm.use_backend(shared)  # type: ignore[attr-defined]
    return shared


class SharedBackend:
    """Hands work to a backend. Keeps its context open until the result is taken."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._open: dict[EvidenceWork, ContextManager] = {}
        self._failed: dict[EvidenceWork, Exception] = {}
        self._group: LMGroup = ()
        self._closed = False
        self.ran: Counter[str] = Counter()
        """How many pieces of work the backend ran, by learning module."""
        self.stepped_whole: Counter[str] = Counter()
        """How many steps ran whole, of learning modules that have no halves."""

    @property
    def name(self) -> str:
        return self.backend.name

    def begin(self, group: LMGroup) -> None:
        """Assign all work dispatched from now on to a group."""
        self._group = group

    def launch(self) -> None:
        """Start the work of the current group."""
        group, self._group = self._group, ()
        self.backend.launch(group)

    def dispatch(self, work: EvidenceWork) -> EvidenceWork:
        """Enter the context of a piece of work, and hand it to the backend.

        Returns:
            The work, with which to ask for its result.

        Raises:
            CannotRun: If the backend cannot run it.
        """
        reason = self.backend.can_run(work)
        if reason is not True:
            raise CannotRun(
                f"backend {self.name!r} cannot run the work of {work.lm_id}: {reason}; "
                "use the backend 'reference'"
            )
        self._open[work] = _Entered(work.context)
        try:
            self.backend.dispatch(work, self._group)
        except Exception as error:  # noqa: BLE001
            self._failed[work] = error
        except BaseException:
            with self._open.pop(work):  # to leave it with this exception
                raise
        return work

    def result(self, work: EvidenceWork) -> ContextManager:
        """Wait until the learning module has the results of a piece of work.

        Returns:
            The context of the work, to be left when the results are processed.
        """
        context = self._open.pop(work)
        try:
            if work in self._failed:
                raise self._failed.pop(work)  # noqa: TRY301
            self.backend.result(work)
            self.ran[work.lm_id] += 1
        except BaseException:
            with context:  # to leave it with this exception
                raise
        return context

    def check_nothing_is_pending(self) -> None:
        """Raise WorkLeftPending unless every result was taken."""
        if not self._open:
            return
        lm_ids = ", ".join(work.lm_id for work in self._open)
        forgotten = WorkLeftPending(
            f"{lm_ids} dispatched work and did not take its result: the second half "
            "of a step must call the second half of what it overrides"
        )
        self.abandon(forgotten)
        raise forgotten

    def abandon(self, error: BaseException) -> None:
        """Leave the contexts of all pending work, and discard its results.

        After an interrupt it does not wait for the work: the next step does, unless
        the backend is closed first.
        """
        self._group = ()
        for work, context in self._open.items():
            self._open[work] = nullcontext()
            context.__exit__(type(error), error, error.__traceback__)
        if isinstance(error, Exception):
            self.drain()

    def drain(self) -> None:
        """Wait for all abandoned work, and forget it."""
        while self._open:
            work = next(iter(self._open))
            try:
                with self.result(work):
                    pass
            except Exception:
                # Only logged: the caller already has an earlier exception.
                logger.exception("%s: abandoned work failed", work.lm_id)

    def close(self) -> None:
        """Close the backend, and log what it ran. May be called again."""
        if self._closed:
            return
        self._closed = True
        self._open.clear()
        self._failed.clear()
        summary = self.summary()
        self.backend.close()
        logger.info(summary)

    def summary(self) -> str:
        """Return what the backend ran, in one line for people."""
        parts = [f"backend {self.name} ran {_counts(self.ran, 'evidence update')}"]
        if self.stepped_whole:
            whole = _counts(self.stepped_whole, "step")
            parts.append(f"without a backend: {whole}")
        return "; ".join([*parts, *filter(None, [self.backend.note()])])


class _Entered:
    """A context that has been entered, and is left by a `with` statement."""

    def __init__(self, context: ContextManager) -> None:
        context.__enter__()
        self._context = context

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> bool | None:  # noqa: PYI036
        return self._context.__exit__(*error)


def _counts(counter: Counter[str], what: str) -> str:
    total = sum(counter.values())
    by_lm = ", ".join(f"{lm_id}: {n}" for lm_id, n in sorted(counter.items()))
    plural = "" if total == 1 else "s"
    return f"{total} {what}{plural}" + (f" ({by_lm})" if by_lm else "")
