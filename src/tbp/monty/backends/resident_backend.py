# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The protocol of a backend that keeps hypotheses in its own memory."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from tbp.monty.backends.work import EvidenceWork

__all__ = ["OutOfDeviceMemory", "ResidentBackend"]


@runtime_checkable
class ResidentBackend(Protocol):
    """A backend that keeps the hypotheses of learning modules from step to step."""

    def release(self, work: EvidenceWork) -> None:
        """Hand the state that is kept for a learning module back to it.

        Args:
            work: Work of the learning module.
        """
        ...


class OutOfDeviceMemory(MemoryError):
    """A backend's device has no memory for a piece of work.

    A backend raises it from `dispatch` or `result`, for every affected piece of work,
    before it changes anything: another backend can then run the work.
    """
