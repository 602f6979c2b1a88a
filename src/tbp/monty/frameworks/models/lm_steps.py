# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Steps learning modules in two phases: all are dispatched, then all processed."""

from __future__ import annotations

import functools
import logging
from contextlib import ExitStack
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence

from tbp.monty.backends import SharedBackend
from tbp.monty.frameworks.models.two_phase import halves_of

if TYPE_CHECKING:
    from tbp.monty.cmp import Message
    from tbp.monty.context import RuntimeContext
    from tbp.monty.frameworks.models.abstract_monty_classes import LearningModule

__all__ = ["LMSteps"]

logger = logging.getLogger(__name__)


class LMSteps:
    """The learning modules' steps that were dispatched, on one step of Monty.

    A learning module that has no halves of its step method, of any class, runs it
    whole when the steps are processed.
    """

    def __init__(self, backend: SharedBackend) -> None:
        backend.drain()  # what a step that was interrupted left behind
        self._backend = backend
        self._dispatched: list[_DispatchedStep] = []

    def dispatch(
        self,
        step: Callable[[RuntimeContext, Sequence[Message]], None],
        ctx: RuntimeContext,
        percepts: Sequence[Message],
    ) -> None:
        """Dispatch the work of a learning module's step.

        Args:
            step: The learning module's step method.
            ctx: The runtime context.
            percepts: The percepts intended for the learning module.
        """
        lm = getattr(step, "__self__", step)
        try:
            self._dispatched.append(self._dispatch(lm, step, ctx, percepts))
        except Exception as error:
            _name(error, lm, "dispatching")
            # Those before it are stepped, as when each was stepped on its own.
            self._process_dispatched()
            self._abandon(error)
            raise
        except BaseException as interrupt:
            self._abandon(interrupt)
            raise

    def process(self) -> None:
        """Process the results of all steps, in the order they were dispatched.

        Nobody else may read a state that is about to change, so that work which is
        still pending then is an error.
        """
        self._process_dispatched()
        self._backend.check_nothing_is_pending()

    def _dispatch(
        self,
        lm: LearningModule,
        step: Callable[[RuntimeContext, Sequence[Message]], None],
        ctx: RuntimeContext,
        percepts: Sequence[Message],
    ) -> _DispatchedStep:
        halves = _halves(lm, getattr(step, "__name__", ""))
        if halves is None:
            self._backend.stepped_whole[_lm_id(lm)] += 1
            return _DispatchedStep(lm, None, functools.partial(step, ctx, percepts))
        dispatch, process = halves
        pending = dispatch(ctx, percepts)
        return _DispatchedStep(lm, pending, functools.partial(process, pending))

    def _process_dispatched(self) -> None:
        while self._dispatched:
            step = self._dispatched.pop(0)
            try:
                step.process()
            except BaseException as error:
                _name(error, step.lm, "processing")
                self._abandon(error)
                raise

    def _abandon(self, error: BaseException) -> None:
        """Leave no work pending, and no `with` of a pending step open."""
        for step in self._dispatched:
            _leave_contexts(step.pending, error)
        self._dispatched = []
        if isinstance(error, Exception):
            self._backend.drain()
        # An interrupt waits for nothing: whoever handles it closes the backend.


@dataclass(frozen=True)
class _DispatchedStep:
    lm: LearningModule
    pending: Any
    process: Callable[[], None]


def _halves(lm: LearningModule, step: str) -> tuple[Callable, Callable] | None:
    names = halves_of(step)
    # A step method set on the instance is not the one that the halves belong to.
    has_halves = all(hasattr(type(lm), name) for name in names)
    if not has_halves or step in getattr(lm, "__dict__", {}):
        return None
    dispatch, process = names
    return getattr(lm, dispatch), getattr(lm, process)


def _leave_contexts(pending: Any, error: BaseException) -> None:
    """Leave every `with` that a pending step is in."""
    if isinstance(pending, ExitStack):
        pending.__exit__(type(error), error, error.__traceback__)
    elif is_dataclass(pending):
        for field in fields(pending):
            _leave_contexts(getattr(pending, field.name), error)


def _name(error: BaseException, lm: LearningModule, phase: str) -> None:
    """Say in an exception which learning module it comes from."""
    if hasattr(error, "learning_module_id"):
        return
    error.learning_module_id = _lm_id(lm)
    where = f"while {phase} the step of learning module {_lm_id(lm)}"
    if hasattr(error, "add_note"):
        error.add_note(where)
    else:  # before Python 3.11
        logger.error("%s: %s", where, error)


def _lm_id(lm: LearningModule) -> str:
    return str(getattr(lm, "learning_module_id", type(lm).__name__))
