# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Divides the statements of a block among the concerns they serve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Sequence

import libcst as cst
import libcst.matchers as m

from .failures import CannotDivide
from .nodes import DOCSTRING, Statement, at_start, statements_of, with_statements

__all__ = ["Concerns"]


@dataclass(frozen=True)
class Concerns:
    """Concerns, each identified by what its statements use, and one for the rest.

    A branch around statements of several concerns is repeated for each of them.
    Statements keep their order and their comments. A string used as a comment goes with
    the statement after it; a comment above a repeated branch goes with the rest.

    Attributes:
        patterns: What statements of a concern use, by the concern's name.
        rest: The concern of statements that use none of these.
    """

    patterns: Mapping[str, m.BaseMatcherNode]
    rest: str

    def part(self, concern: str, statements: Sequence[Statement]) -> list[Statement]:
        """Return the statements that serve a concern.

        Raises:
            CannotDivide: If a statement serves two concerns.
        """
        own: list[Statement] = []
        notes: list[Statement] = []
        for statement in statements:
            if m.matches(statement, DOCSTRING):
                notes.append(statement)
                continue
            served = self._served_by(statement)
            if served == [concern]:
                own += [*notes, statement]
            elif concern in served:
                branch = self._branch(concern, statement)
                own += [*notes, branch] if branch else []
            notes = []
        return at_start(own) if own else []

    def _served_by(self, statement: Statement) -> list[str]:
        used = [
            n for n, pattern in self.patterns.items() if m.findall(statement, pattern)
        ]
        # A branch with statements of a concern may also have some of the rest.
        return (
            [*used, self.rest]
            if used and isinstance(statement, cst.If)
            else used or [self.rest]
        )

    def _branch(self, concern: str, branch: Statement) -> cst.If | None:
        if not isinstance(branch, cst.If):
            raise CannotDivide(
                "a statement serves two concerns: "
                f"{cst.Module([branch]).code.strip().splitlines()[0]}"
            )
        body = self.part(concern, statements_of(branch.body))
        other = self._other(concern, branch.orelse)
        if not body:
            if other:
                raise CannotDivide(f"only the else of a branch serves the {concern}")
            return None
        lines = branch.leading_lines if concern == self.rest else []
        branch = branch.with_changes(orelse=other, leading_lines=lines)
        return with_statements(branch, body)

    def _other(
        self, concern: str, other: cst.If | cst.Else | None
    ) -> cst.If | cst.Else | None:
        if other is None or isinstance(other, cst.If):
            return other and self._branch(concern, other)
        own = self.part(concern, statements_of(other.body))
        if not own:
            return None
        if len(own) == 1 and isinstance(own[0], cst.If):
            return own[0]  # printed as elif
        return with_statements(other, own)
