# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs the episodes of a phase: gives them out, tries again, keeps what comes back."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from pathlib import Path

from ..guard import interrupts_held
from .asked import Failure
from .crew import Crew, Lost
from .episodes import TRAIN
from .progress import Standing, shown_progress
from .store import Store
from .worker import Outcome

__all__ = ["PhaseRun"]

SECONDS_BETWEEN_LOOKS = 0.5


class PhaseRun:
    """The training or the evaluation of a run."""

    def __init__(
        self,
        mode: str,
        names: Sequence[str],
        store: Store,
        retries: int,
        outputs: Sequence[Callable[[Path], None]],
    ) -> None:
        """Prepares a phase.

        Args:
            mode: "train" or "eval".
            names: The names of its episodes.
            store: Where results are kept; episodes that are there are not run.
            retries: How often to try an episode again whose worker was lost.
            outputs: Called with the folder of each episode, in order.
        """
        self._mode = mode
        self._names = names
        self._store = store
        self._retries = retries
        self._outputs = outputs
        self._waiting = deque(i for i in range(len(names)) if not self._has(i))
        self._tries: Counter[int] = Counter()
        self._failures: dict[int, Failure] = {}
        self._written = 0
        """How many episodes the outputs have got, or will never get."""

    def run(self, crew: Crew, size: int) -> list[Failure]:
        """Runs what is missing.

        Args:
            crew: The workers.
            size: How many of them there should be.

        Returns:
            The episodes without a result.
        """
        what = "training" if self._mode == TRAIN else "evaluating"
        self._write()
        with shown_progress(what, self._standing(crew)) as show:
            while self._written < len(self._names):
                while self._waiting and crew.idle:
                    crew.give(self._mode, self._waiting.popleft())
                for number, outcome in crew.wait(SECONDS_BETWEEN_LOOKS):
                    if isinstance(outcome, Lost):
                        self._try_again(number, outcome)
                    else:
                        self._take(number, outcome)
                crew.recruit(min(size, len(self._waiting) + crew.running))
                self._write()
                show(self._standing(crew))
        return [self._failures[number] for number in sorted(self._failures)]

    def _has(self, number: int) -> bool:
        return self._store.has(self._mode, self._names[number])

    def _take(self, number: int, outcome: Outcome) -> None:
        name = self._names[number]
        if outcome.error is not None:
            # It would raise the same exception again.
            self._failures[number] = Failure(name, outcome.reason, outcome.error)
            return
        with interrupts_held():
            self._store.keep(self._mode, name, outcome.files)

    def _try_again(self, number: int, lost: Lost) -> None:
        self._tries[number] += lost.counts
        if self._tries[number] <= self._retries:
            self._waiting.appendleft(number)
            return
        name = self._names[number]
        reason = f"tried {self._tries[number]} times; {lost.reason}"
        self._failures[number] = Failure(name, reason, lost.lines)

    def _write(self) -> None:
        """Hands the next episodes to the outputs, as far as they are there."""
        while self._written < len(self._names):
            number = self._written
            if number not in self._failures:
                if not self._has(number):
                    return
                with interrupts_held():
                    for output in self._outputs:
                        output(self._store.of(self._mode, self._names[number]))
            self._written += 1

    def _standing(self, crew: Crew) -> Standing:
        total, failed, running = len(self._names), len(self._failures), crew.running
        done = total - len(self._waiting) - running - failed
        return Standing(total, done, failed, running, crew.in_words())
