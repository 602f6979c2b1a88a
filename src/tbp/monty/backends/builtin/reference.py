# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The backend `reference`."""

from __future__ import annotations

from typing import ClassVar

from tbp.monty.backends import reference

__all__ = ["ReferenceBackend"]


class ReferenceBackend(reference.ReferenceBackend):
    """Runs the hypotheses updaters' own code, synchronously on dispatch."""

    where: ClassVar[str] = "CPU"
    summary: ClassVar[str] = "the hypotheses updaters' own code; the default"

    @staticmethod
    def unavailable() -> str | None:
        return None

    def discard(self) -> None:
        self._outcomes.clear()

    def note(self) -> str:
        return ""
