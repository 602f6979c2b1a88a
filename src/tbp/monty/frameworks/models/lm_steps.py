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
from typing import TYPE_CHECKING, Callable, Iterator, Sequence

from tbp.monty.frameworks.models.whole_overrides import HALVES

if TYPE_CHECKING:
    from tbp.monty.backends import LMGroup, SharedBackend
    from tbp.monty.cmp import Message
    from tbp.monty.context import RuntimeContext
    from tbp.monty.frameworks.models.abstract_monty_classes import LearningModule

__all__ = ["LMSteps"]

logger = logging.getLogger(__name__)


class LMSteps:
    """The steps of all learning modules on one step of Monty."""

    def __init__(
        self,
        learning_modules: Sequence[LearningModule],
        step_type: str,
        backend: SharedBackend,
    ) -> None:
        backend.drain()  # what an interrupted step left behind
        self._learning_modules = learning_modules
        self._step_type = step_type
        self._backend = backend
        self._finish_step: dict[int, Callable[[], None]] = {}

    def each(self, groups: Sequence[LMGroup]) -> Iterator[int]:
        """Go through the learning modules, group by group, to dispatch them.

        Args:
            groups: The groups. The work of a group is launched after its last member.

        Yields:
            The index of a learning module.
        """
        for group in groups:
            self._backend.begin(group)
            yield from group
            try:
                self._backend.launch()
            except BaseException as error:
                self._backend.abandon(error)
                raise

    def dispatch(
        self, index: int, ctx: RuntimeContext, percepts: Sequence[Message]
    ) -> None:
        """Dispatch the step of a learning module, given its index."""
        lm = self._learning_modules[index]
        try:
            self._finish_step[index] = self._dispatch(lm, ctx, percepts)
        except BaseException as error:
            if isinstance(error, Exception):
                _add_note(error, lm, "dispatching")
                # Those dispatched before it finish their steps, as without phases.
                self._process_dispatched()
            self._backend.abandon(error)
            raise

    def process(self) -> None:
        """Process the results of all steps, in the order of the learning modules.

        Work that is still pending after that is an error: others would read the state
        of its learning module before it is updated.
        """
        self._process_dispatched()
        self._backend.check_nothing_is_pending()

    def has_halves(self, lm: LearningModule) -> bool:
        """Return whether a learning module's step can be dispatched and processed.

        One that does not derive from LearningModule may have only the whole step.
        """
        halves = HALVES.get(self._step_type)
        return halves is not None and all(hasattr(type(lm), half) for half in halves)

    def _dispatch(
        self, lm: LearningModule, ctx: RuntimeContext, percepts: Sequence[Message]
    ) -> Callable[[], None]:
        if not self.has_halves(lm):
            self._backend.stepped_whole[_lm_id(lm)] += 1
            return functools.partial(getattr(lm, self._step_type), ctx, percepts)
        dispatch, process = HALVES[self._step_type]
        pending = getattr(lm, dispatch)(ctx, percepts)
        return functools.partial(getattr(lm, process), pending)

    def _process_dispatched(self) -> None:
        index = 0
        try:
            for index in sorted(self._finish_step):
                self._finish_step[index]()
        except BaseException as error:
            _add_note(error, self._learning_modules[index], "processing")
            self._backend.abandon(error)
            raise


def _add_note(error: BaseException, lm: LearningModule, phase: str) -> None:
    """Say in an exception which learning module it comes from."""
    where = f"while {phase} the step of learning module {_lm_id(lm)}"
    if hasattr(error, "add_note"):
        error.add_note(where)
    else:  # before Python 3.11
        logger.error("%s: %s", where, error)


def _lm_id(lm: LearningModule) -> str:
    return str(getattr(lm, "learning_module_id", type(lm).__name__))
