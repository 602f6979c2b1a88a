# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Stacks the work of learning modules, and has their hypotheses."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Hashable, Sequence, Tuple

from tbp.monty.backends.described_work import DescribedOutcome, EvidenceUpdate
from tbp.monty.backends.hypotheses.resident import ResidentHypotheses, ResidentTracker
from tbp.monty.backends.numpy.features import FeatureColumnMismatch
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.stacked.plans import Plans
from tbp.monty.backends.stacked.steps import (
    BurstSamplingStep,
    DefaultStep,
    StackedStep,
)
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.segments import Segments

logger = logging.getLogger(__name__)

__all__ = ["KINDS", "Group", "Stack"]

Group = Tuple[Hashable, ...]

KINDS: dict[str, type[StackedStep]] = {
    "default": DefaultStep,
    "burst_sampling": BurstSamplingStep,
}
"""By kind of updater, its step."""


class Interrupted(RuntimeError):
    """A step was interrupted: nothing of it has happened."""


class Stack:
    """Runs the work of learning modules whose updaters are of one kind as one.

    A step changes hypotheses, counts, slopes and telemetry all at once, after the last
    thing that can fail; or none of them.

    Attributes:
        group: The group of the learning modules.
        may_be_left: See `ResidentBackend`.
        engine: What computes.
        plans: The graphs, and what stays the same from step to step.
        table: The hypotheses. It is replaced when they change.
        handles: What stands for them, by segment.
        trackers: What stands for their slopes, by segment.
        outcomes: What steps have found out, by learning module, until it is taken.
        errors: What they raised instead.
    """

    def __init__(
        self, group: Group, kind: str, engine: Engine, launches: Counter[Group]
    ) -> None:
        self.group = group
        self.may_be_left = False
        self.engine = engine
        self._step_class = KINDS[kind]
        self._launches = launches
        self.plans = Plans()
        self.table = engine.make_table(self._step_class.window_size)
        self.handles: dict[int, ResidentHypotheses] = {}
        self.trackers: dict[int, ResidentTracker] = {}
        self.outcomes: dict[str, DescribedOutcome] = {}
        self.errors: dict[str, Exception] = {}
        self._running: StackedStep | None = None

    @property
    def is_running(self) -> bool:
        """Whether a step was launched and has not been waited for."""
        return self._running is not None

    def launch(self, updates: Sequence[EvidenceUpdate]) -> None:
        """Start a step, without waiting for it. What it raises is told by `result`."""
        self.settle()  # what was launched before
        self._launches[self.group] += 1
        step = self._step_class(self, updates)
        try:
            step.launch()
        except Exception as error:  # noqa: BLE001 raised with the results
            self._fail(step, error)
        except BaseException:
            self._fail(step, Interrupted("the step was interrupted"))
            raise
        else:
            self._running = step

    def settle(self) -> Segments:
        """Wait for what was launched, let it take effect, and return the table."""
        step, self._running = self._running, None
        if step is None:
            return self.table
        try:
            finished = step.finish()
        except Exception as error:  # noqa: BLE001 raised with the results
            self._fail(step, error)
            return self.table
        except BaseException:
            self._fail(step, Interrupted("the step was interrupted"))
            raise
        self.table = finished.table
        for segment in finished.segments:
            if segment not in self.handles:
                self.handles[segment] = ResidentHypotheses(self, segment)
                self.trackers[segment] = ResidentTracker(self, segment)
        for number, update in enumerate(step.updates):
            self.outcomes[update.lm_id] = step.outcome(number, finished)
        return self.table

    def result(self, lm_id: str) -> DescribedOutcome:
        """Return what the last step of a learning module has found out, or raise."""
        self.settle()
        if lm_id in self.errors:
            raise self.errors.pop(lm_id)
        return self.outcomes.pop(lm_id)

    def discard(self) -> None:
        """Forget a step that runs, and what was not taken."""
        self._running = None
        self.outcomes.clear()
        self.errors.clear()

    def give_up(self, segments: Sequence[int]) -> None:
        """Remove hypotheses that their learning module has not any more."""
        before = [segment for segment in segments if segment < len(self.table)]
        if not before:
            return
        table = self.table.fork()
        table.restart(before)
        for segment in before:
            for resident in (self.handles, self.trackers):
                if segment in resident:
                    resident.pop(segment).discard()
        self.table = table

    def release(self, lm_id: str) -> None:
        """Leave its hypotheses to a learning module."""
        table = self.settle()
        segments = [i for i, key in enumerate(table.keys) if key[0] == lm_id]
        # All are read before any is left.
        rows = {i: table.rows(i) for i in segments if i in self.handles}
        past = {
            i: (table.history(i), table.read(i, "slopes"))
            for i in rows
            if table.window_size
        }
        for i, history_and_slopes in past.items():
            self.trackers.pop(i).keep(*history_and_slopes)
        for i, arrays in rows.items():
            self.handles.pop(i).keep(arrays)
        self.give_up(segments)
        self.plans.forget(lm_id)
        self.outcomes.pop(lm_id, None)
        self.errors.pop(lm_id, None)

    def leave(self, failure: BaseException) -> None:
        """Leave all hypotheses to learning modules, or raise a failure."""
        if not self.may_be_left:
            raise failure
        logger.warning("hypotheses leave their table: %s", failure)
        for lm_id in dict.fromkeys(key.learning_module for key in self.table.keys):
            self.release(lm_id)

    def close(self) -> None:
        """Leave all hypotheses to learning modules, as they were before a step."""
        self.discard()
        try:
            for lm_id in dict.fromkeys(key.learning_module for key in self.table.keys):
                self.release(lm_id)
        finally:
            self.engine.close()

    def _fail(self, step: StackedStep, error: Exception) -> None:
        """Note that a step did not happen; the error is raised with the results."""
        updates = step.updates
        is_of_one = isinstance(error, (FeatureColumnMismatch, UnusableNumbers))
        if len(updates) == 1 or not is_of_one:
            self.errors.update({one.lm_id: error for one in updates})
            return
        # The input of one of them, and nothing has changed: the others can run.
        for update in updates:
            self.launch([update])
            self.settle()
