# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Backends that keep the hypotheses of learning modules from step to step."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

__all__ = ["ResidentBackend"]


@runtime_checkable
class ResidentBackend(Protocol):
    """A backend that keeps the hypotheses of learning modules from step to step.

    Attributes:
        may_be_left: Whether it leaves all hypotheses to the learning modules if its
            device fails while they are read or changed, instead of raising the failure.
    """

    may_be_left: bool

    def release(self, lm_id: str) -> None:
        """Leave its hypotheses to a learning module, as arrays."""
        ...
