# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Builds the half of a method that begins with the result of its work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import libcst as cst

from ..nodes import Statement, parsed
from .blocks import EMPTY_LINE, at_start, with_comments
from .carried import Carried
from .columns import fitted_call, fitted_signature
from .cut import Cut
from .dispatch_half import DispatchHalf
from .pending import Pending

__all__ = ["ProcessHalf"]

_IN_METHOD = 8
_STEP = 4


@dataclass(frozen=True)
class ProcessHalf:
    """The second half: it takes the result of the first and completes the method.

    Attributes:
        cut: The method.
        carried: What the first half passes to the second.
        pending: The object that carries it.
        processing: The call in the cut method that gives the result.
    """

    cut: Cut
    carried: Carried
    pending: Pending
    processing: cst.Call

    def build(
        self,
        method: cst.FunctionDef,
        name: str,
        first: DispatchHalf,
        returns_value: bool,
    ) -> cst.FunctionDef:
        """Return the half of a method, without a docstring."""
        instance = [*method.params.posonly_params, *method.params.params][0]
        parameters = (
            f"{instance.name.value}, {self.pending.variable}: {first.returned_type}"
        )
        signature = parsed(f"def half({parameters}): pass", cst.FunctionDef)
        everywhere = self._common(self.carried.levels)
        body, footer = self._block(0, _IN_METHOD, everywhere)
        body = [*self._restore(everywhere), *body]
        if first.finishes:
            finished = self._if_finished(first, returns_value)
            body = [finished, *with_comments([EMPTY_LINE], at_start(body))]
        half = method.with_changes(
            name=cst.Name(name),
            params=signature.params,
            whitespace_before_params=cst.SimpleWhitespace(""),
            body=cst.IndentedBlock(body, footer=footer),
            decorators=[],
            leading_lines=[],
            lines_after_decorators=[],
        )
        return fitted_signature(half)

    def _if_finished(self, first: DispatchHalf, returns_value: bool) -> Statement:
        variable = self.pending.variable
        if first.finishes_with_record:
            finished = self.pending.finished_name
            text = (
                f"if isinstance({variable}, {finished}):\n    return {variable}.value"
            )
        else:
            value = " None" if returns_value else ""
            text = f"if {variable} is None:\n    return{value}"
        return cst.parse_statement(text)

    def _block(
        self, at: int, indent: int, restored: set[str]
    ) -> tuple[list[Statement], Sequence[cst.EmptyLine]]:
        """Build the remaining statements of a level and of the levels within it.

        Args:
            at: The level.
            indent: The column it begins at.
            restored: The variables that already have their values.

        Returns:
            The statements, and the comments at their end.
        """
        level = self.cut.levels[at]
        if level.around is None:
            first, *others = level.after
            return [fitted_call(first, self.processing, indent), *others], level.footer
        guard = self.pending.flags.get(at)
        if guard is None:
            body, footer = self._within(at, indent, restored)
        else:
            inner = self._common([one for one in self.carried.levels if one > at])
            body, footer = self._within(at, indent + _STEP, restored | inner)
            body = [*self._restore(inner - restored), *body]
            otherwise = self._restore({*self.carried.variables[at]} - restored)
            body = [self._guarded(guard, body, footer, otherwise)]
            footer = []
        if not level.after:
            return body, [*footer, *level.footer]
        return [*body, *with_comments(footer, level.after)], level.footer

    def _within(
        self, at: int, indent: int, restored: set[str]
    ) -> tuple[list[Statement], Sequence[cst.EmptyLine]]:
        if isinstance(self.cut.levels[at].around, cst.If):
            return self._block(at + 1, indent, restored)
        body, footer = self._block(at + 1, indent + _STEP, restored)
        text = f"with {self.pending.variable}.{self.pending.stacks[at]}:\n    pass"
        entered = parsed(text, cst.With)
        block = cst.IndentedBlock(body, footer=footer)
        return [entered.with_changes(body=block)], []

    def _guarded(
        self,
        flag: str,
        body: Sequence[Statement],
        footer: Sequence[cst.EmptyLine],
        otherwise: Sequence[Statement],
    ) -> cst.If:
        guarded = parsed(f"if {self.pending.variable}.{flag}:\n    pass", cst.If)
        return guarded.with_changes(
            body=cst.IndentedBlock(body, footer=footer),
            orelse=cst.Else(cst.IndentedBlock(otherwise)) if otherwise else None,
        )

    def _common(self, levels: Sequence[int]) -> set[str]:
        return set.intersection(
            *(set(self.carried.variables[level]) for level in levels)
        )

    def _restore(self, names: set[str]) -> list[Statement]:
        return [
            cst.parse_statement(f"{name} = {self.pending.variable}.{name}")
            for name in self.carried.names
            if name in names
        ]
