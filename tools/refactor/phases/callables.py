# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Recognises and renames what is called: `self.work`, `super().work`."""

from __future__ import annotations

import libcst as cst

__all__ = ["last_name", "renamed", "same_callable"]


def same_callable(node: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Return whether two expressions name the same callable, however formatted."""
    if isinstance(node, cst.Name) and isinstance(other, cst.Name):
        return node.value == other.value
    if isinstance(node, cst.Attribute) and isinstance(other, cst.Attribute):
        return node.attr.value == other.attr.value and same_callable(
            node.value, other.value
        )
    if isinstance(node, cst.Call) and isinstance(other, cst.Call):
        # Arguments are those of `super(Class, self)`.
        pairs = [*zip(node.args, other.args, strict=False)]
        return (
            len(node.args) == len(other.args) == len(pairs)
            and not any(one.star or one.keyword for pair in pairs for one in pair)
            and all(same_callable(one.value, two.value) for one, two in pairs)
            and same_callable(node.func, other.func)
        )
    return False


def last_name(function: cst.BaseExpression) -> str:
    """Return `work` of `self.work`."""
    name = function.attr if isinstance(function, cst.Attribute) else function
    return cst.ensure_type(name, cst.Name).value


def renamed(function: cst.BaseExpression, name: str) -> cst.BaseExpression:
    """Return the callable with another last name."""
    if isinstance(function, cst.Attribute):
        return function.with_changes(attr=cst.Name(name))
    return cst.Name(name)
