# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is asked of a backend that keeps hypotheses in memory of its own."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from tbp.monty.backends.work import EvidenceWork

__all__ = ["OutOfDeviceMemory", "ResidentBackend"]


@runtime_checkable
class ResidentBackend(Protocol):
    """A backend that keeps the hypotheses of learning modules from step to step."""

    def release(self, work: EvidenceWork) -> None:
        """Return to a learning module all that is kept of it.

        Args:
            work: Work of the learning module.
        """
        ...


class OutOfDeviceMemory(MemoryError):
    """A backend's device has no memory for a piece of work.

    A backend raises it from `dispatch` or `result`, for every piece of work that it
    concerns, and before anything has changed: another backend can then run the work.
    """
