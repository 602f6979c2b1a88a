# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Sets `__version__` of a module."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..codemod import Codemod, Read
from ..failures import MissingAnchor
from ..nodes import find_all

__all__ = ["SetVersion"]

_ASSIGNED = m.SimpleStatementLine(
    body=[
        m.Assign(
            targets=[m.AssignTarget(m.Name("__version__"))], value=m.SimpleString()
        )
    ]
)


@dataclass(frozen=True)
class SetVersion(Codemod):
    """Gives the fork its own version.

    It changes only an assignment at the top of the module, and does not add one.
    """

    version: str

    def transform_module(self, tree: cst.Module, read: Read) -> cst.Module:  # noqa: ARG002
        for statement in tree.body:
            if m.matches(statement, _ASSIGNED):
                (assigned,) = find_all(statement, cst.Assign, m.Assign())
                string = cst.SimpleString(f'"{self.version}"')
                return tree.with_deep_changes(assigned, value=string)
        raise MissingAnchor("an assignment of __version__")
