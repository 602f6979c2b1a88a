# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A backend that stacks learning modules, on an engine."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import Callable, Iterator

from tbp.monty.backends.described_work import (
    DescribedOutcome,
    DescribedWork,
    EvidenceUpdate,
)
from tbp.monty.backends.failures import CannotRun
from tbp.monty.backends.stacked.stack import KINDS, Group, Stack
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.held import Held
from tbp.monty.backends.tables.kernel_work import MAX_NEIGHBORS
from tbp.monty.backends.work import EvidenceWork

__all__ = ["Group", "StackedBackend"]


class StackedBackend:
    """Runs the updates of each group as one, with an engine for each group.

    Updaters of two kinds cannot run as one: a group that has both has two engines.

    Attributes:
        may_be_left: See `ResidentBackend`.
        launches: How many launches there were, by group.
        dispatched: How many updates were dispatched.
    """

    def __init__(self, open_engine: Callable[[], Engine]) -> None:
        """Open the backend.

        Args:
            open_engine: Opens an engine; it is closed here.
        """
        self._open_engine = open_engine
        self._stacks: dict[tuple[Group, str], Stack] = {}
        self._stack_of: dict[str, Stack] = {}
        """By learning module: where its hypotheses are."""
        self._queued: dict[str, EvidenceUpdate] = {}
        self._errors: dict[str, Exception] = {}
        """What could not be launched, by learning module."""
        self.may_be_left = False
        self.launches: Counter[Group] = Counter()
        self.dispatched = 0

    def dispatch(self, work: EvidenceWork) -> None:
        if not isinstance(work, DescribedWork):
            raise CannotRun("the work has no description")
        update = work.describe()
        if update.kind not in KINDS:
            raise CannotRun(f"it does not know the update {update.kind!r}")
        neighbors = update.settings["max_nneighbors"]
        if not 1 <= neighbors <= MAX_NEIGHBORS:
            raise CannotRun(
                f"max_nneighbors is {neighbors}, and 1 to {MAX_NEIGHBORS} here"
            )
        self._queued[update.lm_id] = update
        self.dispatched += 1

    def launch(self, group: Group) -> None:
        queued, self._queued = self._queued, {}
        by_kind: dict[str, list[EvidenceUpdate]] = {}
        for update in queued.values():
            by_kind.setdefault(update.kind, []).append(update)
        for kind, updates in by_kind.items():
            self._launch(group, kind, updates)

    def result(self, work: EvidenceWork) -> DescribedOutcome:
        lm_id = work.lm_id
        if lm_id in self._queued:
            # It steps alone, and keeps its place.
            others, self._queued = self._queued, {lm_id: self._queued.pop(lm_id)}
            stack = self._stack_of.get(lm_id)
            self.launch(() if stack is None else stack.group)
            self._queued = others
        if lm_id in self._errors:
            raise self._errors.pop(lm_id)
        return self._stack_of[lm_id].result(lm_id)

    def discard(self) -> None:
        """Forget all updates whose results were not taken; none of them happens."""
        self._queued.clear()
        self._errors.clear()
        for stack in self._stacks.values():
            stack.discard()

    def release(self, lm_id: str) -> None:
        """Leave its hypotheses to a learning module, as arrays."""
        stack = self._stack_of.get(lm_id)
        if stack is None:
            return
        stack.release(lm_id)
        del self._stack_of[lm_id]
        if stack not in self._stack_of.values():
            self._stacks = {k: v for k, v in self._stacks.items() if v is not stack}
            stack.close()

    @property
    def layout(self) -> tuple[tuple[int, ...], ...]:
        """Changes whenever `held` would return something else."""
        return tuple(
            (one.plans.graphs.revision, *one.table.layout, *one.engine.layout)
            for one in self._stacks.values()
        )

    def held(self) -> Iterator[Held]:
        """Yield the memory of all stacks."""
        for stack in self._stacks.values():
            yield from stack.table.held()
            yield from stack.plans.held()
            yield from stack.engine.held()

    def note(self) -> str:
        groups, launches = len(self.launches), sum(self.launches.values())
        return f"{_number(groups, 'group')}, {_number(launches, 'launch', 'es')}"

    def close(self) -> None:
        """Leave all hypotheses to learning modules, and free everything."""
        self._queued.clear()
        self._stack_of.clear()
        stacks, self._stacks = self._stacks, {}
        with ExitStack() as closing:  # all of them, also if one raises
            for stack in stacks.values():
                closing.callback(stack.close)

    def _launch(self, group: Group, kind: str, updates: list[EvidenceUpdate]) -> None:
        try:
            self._stack_for(group, kind, updates).launch(updates)
        except Exception as error:  # noqa: BLE001 raised with the results
            self._errors.update({one.lm_id: error for one in updates})

    def _stack_for(
        self, group: Group, kind: str, updates: list[EvidenceUpdate]
    ) -> Stack:
        """Return the stack of a group, with the hypotheses of no other learning module.

        Those that a learning module has elsewhere are left to it first.
        """
        stack = self._stacks.get((group, kind))
        if stack is None:
            stack = Stack(group, kind, self._open_engine(), self.launches)
            stack.may_be_left = self.may_be_left
            self._stacks[group, kind] = stack
        for update in updates:
            if self._stack_of.get(update.lm_id) is not stack:
                self.release(update.lm_id)
                self._stack_of[update.lm_id] = stack
        return stack


def _number(count: int, what: str, plural: str = "s") -> str:
    return f"{count} {what if count == 1 else what + plural}"
