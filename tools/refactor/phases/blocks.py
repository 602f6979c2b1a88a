# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Assembles statements into blocks, formatted as a person would write them."""

from __future__ import annotations

from typing import Sequence

import libcst as cst

from ..nodes import EMPTY_LINE, Statement, at_start

__all__ = ["EMPTY_LINE", "at_start", "with_comments"]


def with_comments(
    comments: Sequence[cst.EmptyLine], statements: Sequence[Statement]
) -> list[Statement]:
    """Put comments above the first statement."""
    first, *others = statements
    lines = [*comments, *first.leading_lines]
    return [first.with_changes(leading_lines=lines), *others]
