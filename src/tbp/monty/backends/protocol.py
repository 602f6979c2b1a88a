# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a backend is."""

from __future__ import annotations

from typing import Any, ClassVar, Hashable, Literal, Protocol

from tbp.monty.backends.work import EvidenceWork

__all__ = ["Backend", "Ticket"]

Ticket = Hashable
"""What stands for a piece of work that was dispatched."""


class Backend(Protocol):
    """Runs the work of learning modules.

    A backend is opened by calling its class without arguments. One that cannot be
    used everywhere says so before, in `unavailable`.

    It may have, too:

    - `priority`, a number: `auto` takes the available backend with the highest one, and
      none that has no priority;
    - `release(work)`: leave to a learning module all that is held of it, so that
      another backend can go on from there; for those that hold anything;
    - `note()`: what else is to be known of a run, in words, for its summary.
    """

    name: ClassVar[str]
    where: ClassVar[str]
    """Where the work runs: `CPU`, `GPU`."""
    summary: ClassVar[str]
    """A line for people who choose between backends."""

    @staticmethod
    def unavailable() -> str | None:
        """Return why it cannot be used here and what to do about it, or None."""
        ...

    def can_run(self, work: EvidenceWork) -> Literal[True] | str:
        """Return True, or the reason why it cannot run a piece of work."""
        ...

    def dispatch(self, work: EvidenceWork) -> Ticket:
        """Take a piece of work, without waiting for others to be done.

        Args:
            work: The work.

        Returns:
            What to ask for the result with.
        """
        ...

    def wait(self) -> None:
        """Return when everything that was dispatched has run."""
        ...

    def result(self, ticket: Ticket) -> Any:
        """Return when a piece of work has run, with what it gave.

        It may be asked for once, and raises what the work raised.

        Args:
            ticket: What `dispatch` returned.
        """
        ...

    def close(self) -> None:
        """Stop what runs, and free everything. May be called again."""
        ...
