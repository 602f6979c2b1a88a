# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The protocol of a backend."""

from __future__ import annotations

from typing import ClassVar, Literal, Protocol, Tuple

from tbp.monty.backends.work import EvidenceWork

__all__ = ["Backend", "LMGroup"]

LMGroup = Tuple[int, ...]
"""Indices of the learning modules that form a group, in ascending order."""


class Backend(Protocol):
    """Runs the work of learning modules.

    Work arrives group by group. A backend may stack the work of a group into one
    launch, and give each group a stream of its own. It is opened by calling its class
    without arguments.
    """

    name: ClassVar[str]
    where: ClassVar[str]
    """Where the work runs: `CPU`, `GPU`."""
    summary: ClassVar[str]
    """One line for people who choose between backends."""

    @staticmethod
    def unavailable() -> str | None:
        """Return why it cannot be used here and what to do about it, or None."""
        ...

    def can_run(self, work: EvidenceWork) -> Literal[True] | str:
        """Return True, or the reason why it cannot run a piece of work."""
        ...

    def dispatch(self, work: EvidenceWork, group: LMGroup) -> None:
        """Queue a piece of work, without waiting for it to run.

        If this raises, the exception is raised again when the result is asked for.

        Args:
            work: The work.
            group: The group of its learning module; empty if it steps alone.
        """
        ...

    def launch(self, group: LMGroup) -> None:
        """Start the queued work of a group, once all of it is queued."""
        ...

    def result(self, work: EvidenceWork) -> None:
        """Wait until a piece of work has run, and raise the exception if it failed.

        The learning module then has the results. Called at most once per piece of work.

        Args:
            work: Dispatched work, whether launched or not.
        """
        ...

    def note(self) -> str:
        """Return further facts about a run, for its summary."""
        ...

    def close(self) -> None:
        """Stop running work and free all resources. May be called again."""
        ...
