# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Says what stands in the way of splitting a method."""

from __future__ import annotations

from ..failures import RefactorFailed

__all__ = ["CannotSplit"]


class CannotSplit(RefactorFailed):
    """A method cannot be split at a call without changing what it does."""

    def __init__(
        self,
        construct: str,
        *,
        line: int,
        class_name: str | None = None,
        method: str | None = None,
        file: str | None = None,
    ) -> None:
        """Set up the failure.

        Args:
            construct: What cannot be split, and why.
            line: The line it stands on.
            class_name: The class.
            method: The method.
            file: The file, where it is known.
        """
        self.construct = construct
        self.line = line
        self.class_name = class_name
        self.method = method
        self.file = file
        super().__init__(construct)

    def __str__(self) -> str:
        places = [
            ("file", self.file),
            ("class", self.class_name),
            ("method", self.method),
            ("line", self.line),
            ("because of", self.construct),
        ]
        lines = [f"  {name + ':':<12}{value}" for name, value in places if value]
        return "\n".join(["cannot split, nothing was written", *lines])
