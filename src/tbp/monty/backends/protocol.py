# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is required of a backend."""

from __future__ import annotations

from typing import ClassVar, Protocol, Tuple

from tbp.monty.backends.work import EvidenceOutcome, EvidenceWork

__all__ = ["Backend", "LMGroup"]

LMGroup = Tuple[int, ...]
"""Indices of the learning modules that form a group, in ascending order."""


class Backend(Protocol):
    """Runs the evidence updates of learning modules.

    Updates arrive group by group. A backend may run those of a group as one, and each
    group at the same time as others.
    """

    name: ClassVar[str]

    def dispatch(self, work: EvidenceWork) -> None:
        """Queue an update, without waiting for it to run."""
        ...

    def launch(self, group: LMGroup) -> None:
        """Start what was queued since the last launch: the updates of a group."""
        ...

    def result(self, work: EvidenceWork) -> EvidenceOutcome:
        """Wait for an update, launched or not, and return its results.

        If it failed, the exception is raised, and its learning module has the
        hypotheses that it had before. Called at most once per update.
        """
        ...

    def close(self) -> None:
        """Stop running updates and free all resources. May be called again."""
        ...
