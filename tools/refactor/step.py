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
from typing import Sequence

from .codemod import Codemod

__all__ = ["Rewrite", "Step"]


@dataclass(frozen=True)
class Rewrite:
    """A codemod and the upstream file that it changes."""

    file: str
    """Path below `tbp/monty`."""
    codemod: Codemod


@dataclass(frozen=True)
class Step:
    """A change that is reviewed as one commit."""

    title: str
    """A conventional commit title."""
    part: str
    """The part of the series that it belongs to."""
    body: str
    """Why, and what to check."""
    rewrites: Sequence[Rewrite]
    after: str = ""
    """The step of the same part that it needs, by name."""
    overlay: Sequence[str] = ()
    """Files the step adds, as paths below `tbp/monty`."""
    tests: Sequence[str] = ()
    """Tests of these files, and what they import, as paths below our `tests`."""
    name: str = ""
    """The name of its module in `steps`; the series sets it."""
