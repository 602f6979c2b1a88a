# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The learning modules of a group, stacked."""

from __future__ import annotations

from collections import Counter
from typing import Hashable, Sequence, Tuple

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.numpy.features import FeatureColumnMismatch
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.numpy.slopes import WINDOW_SIZE
from tbp.monty.backends.stacked.stack_tables import StackTables
from tbp.monty.backends.stacked.steps import (
    BurstSamplingStep,
    DefaultStep,
    StackedStep,
)
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.work import EvidenceWork

__all__ = ["KINDS", "Group", "Stack"]

Group = Tuple[Hashable, ...]

KINDS: dict[str, tuple[type[StackedStep], int]] = {
    "default": (DefaultStep, 0),
    "burst_sampling": (BurstSamplingStep, WINDOW_SIZE),
}
"""By kind of updater, its step and how many past values of the evidence it needs."""


class Stack:
    """Runs the work of learning modules whose updaters are of one kind as one.

    Attributes:
        group: The group of the learning modules.
        kind: The kind of their updaters.
        tables: What it holds from step to step.
        queued: Works that are not launched yet.
        running: What was launched and is not finished.
        errors: What works raised, until it is asked for.
    """

    def __init__(
        self, group: Group, kind: str, engine: Engine, launches: Counter[Group]
    ) -> None:
        self.group = group
        self.kind = kind
        self.queued: list[DescribedWork] = []
        self._step_class, window_size = KINDS[kind]
        self.tables = StackTables(engine, window_size)
        self._launches = launches
        self.running: StackedStep | None = None
        self.errors: dict[EvidenceWork, Exception] = {}

    def take_queued(self) -> Sequence[DescribedWork]:
        """Return the works that are queued, and forget them."""
        works, self.queued = self.queued, []
        return works

    def launch(self, works: Sequence[DescribedWork]) -> None:
        """Start works, without waiting for them."""
        if not works:
            return
        self.finish()  # what was launched before
        self._launches[self.group] += 1
        step = self._step_class(self.tables, works)
        try:
            step.launch()
            self.running = step
        except BaseException as error:  # noqa: BLE001 interrupts are raised again
            self._end(step, error)

    def finish(self) -> None:
        """Wait for what was launched."""
        if self.running is None:
            return
        step, self.running = self.running, None
        try:
            step.finish()
            step.hand_out()
        except BaseException as error:  # noqa: BLE001 interrupts are raised again
            self._end(step, error)

    def release(self, work: DescribedWork) -> None:
        """Hand the state kept for a learning module back to it."""
        self.finish()
        self.tables.release(work)

    def close(self) -> None:
        if self.running is not None:
            self.running.hand_out()
            self.running = None
        self.tables.close()

    def _end(self, step: StackedStep, error: BaseException) -> None:
        """Hand hypotheses out after an error, which is raised with the results."""
        step.hand_out()
        if not isinstance(error, Exception):
            raise error
        works = step.works
        is_of_one = isinstance(error, (FeatureColumnMismatch, UnusableNumbers))
        if len(works) == 1 or not is_of_one:
            self.errors.update(dict.fromkeys(works, error))
            return
        # The input of one of them, and nothing has changed: the others can run.
        for work in works:
            self.launch([work])
            self.finish()
