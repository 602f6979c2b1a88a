# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Puts functions in the place of methods, until the end of a run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

__all__ = ["Patches"]


class Patches(ExitStack):
    """What was put in the place of methods of objects and classes.

    Leaving it brings all methods back.
    """

    def wrap(self, owner: Any, name: str, wrapped: Callable[[Any], Any]) -> None:
        """Puts a function in the place of a method, if there is one.

        Args:
            owner: An object, whose bound method is replaced, or a class.
            name: The name of the method.
            wrapped: Returns the function, given the method.
        """
        method = getattr(owner, name, None)
        if method is None:
            return
        if name in vars(owner):
            self.callback(setattr, owner, name, vars(owner)[name])
        else:
            self.callback(delattr, owner, name)
        setattr(owner, name, wrapped(method))
