# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a gate finds in a file."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """One reason why a commit does not pass.

    Attributes:
        gate: The gate that found it.
        file: The file, as a path below the checkout.
        text: What is wrong, with the line number if there is one.
    """

    gate: str
    file: str
    text: str

    def __str__(self) -> str:
        return f"{self.gate}: {self.file}: {self.text}"
