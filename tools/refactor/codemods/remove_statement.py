# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Removes a statement of a module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import libcst as cst
from libcst.codemod import Codemod, CodemodContext

from ..failures import MissingAnchor
from ..imports import imports, without_import

__all__ = ["RemoveStatement"]


@dataclass(eq=False)
class RemoveStatement(Codemod):
    """Removes the statement that begins with a text, and imports only it needed.

    Attributes:
        begins: How the statement begins.
        unused: The names whose import goes with it. If they are not imported, the
            statement has been removed already.
    """

    context: CodemodContext
    begins: str
    unused: Sequence[str] = ()

    def __post_init__(self) -> None:
        super().__init__(self.context)

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        body = [one for one in tree.body if not self._is_meant(one)]
        if len(body) == len(tree.body):
            if any(imports(tree, name) for name in self.unused):
                raise MissingAnchor(self.begins)
            return tree
        tree = tree.with_changes(body=body)
        for name in self.unused:
            tree = without_import(tree, name)
        return tree

    def _is_meant(
        self, statement: cst.BaseCompoundStatement | cst.SimpleStatementLine
    ) -> bool:
        bare = statement.with_changes(leading_lines=[])
        return cst.Module([]).code_for_node(bare).startswith(self.begins)
