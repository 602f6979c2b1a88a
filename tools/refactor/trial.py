# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What became of a rewrite that was tried on a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Sequence

from .failures import RefactorFailed
from .spans import Span
from .step import Rewrite, Step

__all__ = ["Trial"]


@dataclass
class Trial:
    """A rewrite, and what it did.

    Attributes:
        step: Its step.
        key: Its name among the rewrites of the step.
        rewrite: The rewrite.
        spans: What it takes away.
        changes: Whether it changed its file.
        is_done: Whether the tree has its result already.
        is_new: Whether nobody has accepted yet that it takes these spans away.
        failure: Why it could not be done.
    """

    step: Step
    key: str
    rewrite: Rewrite
    spans: Sequence[Span] = field(default_factory=list)
    changes: bool = False
    is_done: bool = False
    is_new: bool = False
    failure: RefactorFailed | None = None
