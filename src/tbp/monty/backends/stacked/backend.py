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
from typing import Callable, Hashable, Literal, Sequence, Tuple

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.numpy.features import FeatureColumnMismatch
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.stacked.update import KINDS, Launched, StackedUpdate
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.kernel_work import MAX_NEIGHBORS
from tbp.monty.backends.work import EvidenceWork

__all__ = ["StackedBackend"]

Group = Tuple[Hashable, ...]


class StackedBackend:
    """Runs the work of each group as one, with an engine for each group.

    Updaters of two kinds cannot run as one: a group that has both has two engines.

    Attributes:
        launches: How many launches there were, by group.
    """

    def __init__(self, open_engine: Callable[[], Engine]) -> None:
        """Open the backend.

        Args:
            open_engine: Opens an engine; it is closed here.
        """
        self._open_engine = open_engine
        self._stacks: dict[tuple[Group, str], _Stack] = {}
        self._stack_of: dict[str, _Stack] = {}
        """By learning module: where its hypotheses are."""
        self._pending: dict[EvidenceWork, _Stack] = {}
        self.launches: Counter[Group] = Counter()

    def can_run(self, work: EvidenceWork) -> Literal[True] | str:
        if not isinstance(work, DescribedWork):
            return "its update is not described"
        if work.updater is None:
            return work.reason
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
        key = (group, work.updater.kind)
        stack = self._stacks.get(key)
        if stack is None:
            update = StackedUpdate(self._open_engine(), work.updater.kind)
            stack = self._stacks[key] = _Stack(group, update, self.launches)
        if stack is not before:
            self.release(work)
            self._stack_of[work.lm_id] = stack
        stack.queued.append(work)
        self._pending[work] = stack

    def launch(self, group: Group) -> None:
        for kind in KINDS:
            stack = self._stacks.get((group, kind))
            if stack is not None:
                stack.launch()

    def result(self, work: EvidenceWork) -> None:
        self._pending.pop(work).result(work)

    def release(self, work: DescribedWork) -> None:
        """Leave to a learning module all that is held of it."""
        stack = self._stack_of.pop(work.lm_id, None)
        if stack is None:
            return
        stack.release(work)
        if stack not in self._stack_of.values():
            self._stacks = {k: v for k, v in self._stacks.items() if v is not stack}
            stack.close()

    def note(self) -> str:
        groups, launches = len(self.launches), sum(self.launches.values())
        return f"{_number(groups, 'group')}, {_number(launches, 'launch', 'es')}"

    def close(self) -> None:
        for stack in self._stacks.values():
            stack.close()
        self._stacks.clear()
        self._stack_of.clear()
        self._pending.clear()


class _Stack:
    """The learning modules of a group whose updaters are of the same kind.

    Attributes:
        group: The group.
        queued: Work that is not launched yet.
    """

    def __init__(
        self, group: Group, update: StackedUpdate, launches: Counter[Group]
    ) -> None:
        self.group = group
        self.queued: list[DescribedWork] = []
        self._update = update
        self._launches = launches
        self._running: tuple[Launched, Sequence[DescribedWork]] | None = None
        self._errors: dict[EvidenceWork, Exception] = {}

    def launch(self) -> None:
        """Start what is queued, without waiting for it."""
        if not self.queued:
            return
        self._finish()  # what was launched before
        works, self.queued = self.queued, []
        self._start(works)

    def result(self, work: EvidenceWork) -> None:
        """Wait for a piece of work, and raise what it raised."""
        self.launch()
        self._finish()
        # Work that was interrupted has none, and no result either.
        error = self._errors.pop(work, None)
        if error is not None:
            raise error

    def release(self, work: DescribedWork) -> None:
        """Leave to a learning module all that is held of it."""
        self._finish()
        self._update.release(work)

    def close(self) -> None:
        self.queued.clear()
        self._running = None
        self._update.close()

    def _start(self, works: Sequence[DescribedWork]) -> None:
        self._launches[self.group] += 1
        try:
            self._running = self._update.launch(works), works
        except Exception as error:  # noqa: BLE001 raised with the results
            self._fail(works, error)

    def _finish(self) -> None:
        if self._running is None:
            return
        (launched, works), self._running = self._running, None
        try:
            self._update.finish(launched)
        except Exception as error:  # noqa: BLE001 raised with the results
            self._fail(works, error)

    def _fail(self, works: Sequence[DescribedWork], error: Exception) -> None:
        is_of_one = isinstance(error, (FeatureColumnMismatch, UnusableNumbers))
        if len(works) > 1 and is_of_one:
            # The input of one of them, and nothing has changed: the others can run.
            for work in works:
                self._start([work])
                self._finish()
        else:
            self._errors.update(dict.fromkeys(works, error))


def _number(count: int, what: str, plural: str = "s") -> str:
    return f"{count} {what if count == 1 else what + plural}"
