# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What backends have in common that stack the work of a group into one launch."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Iterator, Literal

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.stacked.stack import KINDS, Group, Stack
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.held import Held
from tbp.monty.backends.tables.kernel_work import MAX_NEIGHBORS
from tbp.monty.backends.work import EvidenceWork

__all__ = ["Group", "StackedBackend"]


class StackedBackend:
    """Runs the work of each group as one, with an engine for each group.

    Updaters of two kinds cannot run as one: a group that has both has two engines.

    Attributes:
        launches: How many launches there were, by group.
        dispatched: How many pieces of work were dispatched.
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
        self.launches: Counter[Group] = Counter()
        self.dispatched = 0

    def can_run(self, work: EvidenceWork) -> Literal[True] | str:
        if not isinstance(work, DescribedWork):
            return "the work has no description"
        if isinstance(work.updater, str):
            return work.updater
        if work.updater.kind not in KINDS:
            return f"it does not know the update {work.updater.kind!r}"
        neighbors = work.updater.settings["max_nneighbors"]
        if not 1 <= neighbors <= MAX_NEIGHBORS:
            return f"max_nneighbors is {neighbors}, and 1 to {MAX_NEIGHBORS} here"
        return True

    def dispatch(self, work: DescribedWork, group: Group) -> None:
        before = self._stack_of.get(work.lm_id)
        if not group and before is not None:
            group = before.group
        assert not isinstance(work.updater, str)
        kind = work.updater.kind
        stack = before
        # To look it up takes long if the group is large.
        if stack is None or stack.group is not group or stack.kind != kind:
            stack = self._stack(group, kind)
        if stack is not before:
            self.release(work)
            self._stack_of[work.lm_id] = stack
        stack.queued.append(work)
        self.dispatched += 1

    def launch(self, group: Group) -> None:
        for kind in KINDS:
            stack = self._stacks.get((group, kind))
            if stack is not None:
                stack.launch(stack.take_queued())

    def result(self, work: EvidenceWork) -> None:
        stack = self._stack_of[work.lm_id]
        if stack.queued:
            stack.launch(stack.take_queued())
        if stack.running is not None:
            stack.finish()
        # Work that was interrupted has no error, and no result either.
        if work in stack.errors:
            raise stack.errors.pop(work)

    def release(self, work: DescribedWork) -> None:
        """Hand the state kept for a learning module back to it."""
        stack = self._stack_of.pop(work.lm_id, None)
        if stack is None:
            return
        stack.release(work)
        if stack not in self._stack_of.values():
            self._stacks = {k: v for k, v in self._stacks.items() if v is not stack}
            stack.close()

    @property
    def layout(self) -> tuple[tuple[int, ...], ...]:
        """Changes whenever `held` would return something else."""
        return tuple(stack.tables.layout for stack in self._stacks.values())

    def held(self) -> Iterator[Held]:
        """Yield the memory of all stacks."""
        for stack in self._stacks.values():
            yield from stack.tables.held()

    def note(self) -> str:
        groups, launches = len(self.launches), sum(self.launches.values())
        return f"{_number(groups, 'group')}, {_number(launches, 'launch', 'es')}"

    def close(self) -> None:
        for stack in self._stacks.values():
            stack.close()
        self._stacks.clear()
        self._stack_of.clear()

    def _stack(self, group: Group, kind: str) -> Stack:
        stack = self._stacks.get((group, kind))
        if stack is None:
            stack = Stack(group, kind, self._open_engine(), self.launches)
            self._stacks[group, kind] = stack
        return stack


def _number(count: int, what: str, plural: str = "s") -> str:
    return f"{count} {what if count == 1 else what + plural}"
