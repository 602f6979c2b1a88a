# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a codemod is: settings, and what it makes of a module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import libcst as cst

__all__ = ["Codemod", "Read"]

Read = Callable[[str], cst.Module]
"""Returns another module of the same tree, by its path below `tbp/monty`."""


@dataclass(frozen=True)
class Codemod:
    """Changes a module.

    Its settings are the arguments of its constructor, so that type checkers see them.
    """

    @property
    def target(self) -> str:
        """The class, method or function that it changes, if it changes only one."""
        return ""

    def transform_module(self, tree: cst.Module, read: Read) -> cst.Module:
        """Return the changed module; the same object if it is as it should be.

        Args:
            tree: The module.
            read: Returns another module of the tree.

        Raises:
            MissingAnchor: If the module does not have what is to be changed.
        """
        raise NotImplementedError
