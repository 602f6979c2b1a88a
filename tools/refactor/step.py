# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a step of the series is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

from libcst.codemod import Codemod

__all__ = ["Rewrite", "Step"]


class Rewrite:
    """A codemod, its arguments, and the upstream file it changes."""

    def __init__(self, file: str, codemod: type[Codemod], **arguments: Any) -> None:
        self.file = file
        """Path below `tbp/monty`."""
        self.codemod = codemod
        self.arguments = arguments


@dataclass(frozen=True)
class Step:
    """A change that is reviewed as one commit."""

    title: str
    """A conventional commit title."""
    body: str
    """Why, and what to check."""
    rewrites: Sequence[Rewrite]
    overlay: Sequence[str] = ()
    """Files the step adds, as paths below `tbp/monty`."""
    tests: Sequence[str] = ()
    """Tests of these files, and what they import, as paths below our `tests`."""
