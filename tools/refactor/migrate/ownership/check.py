# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Refuses to move code that touches more than its learning module."""

from __future__ import annotations

import ast
from typing import Sequence

from ...phases.refusal import Refused
from ..class_index import ClassIndex, ProjectClass
from .instance import Instance, Method
from .known_code import MONTYS_ATTRIBUTES, MONTYS_STEP, TWO_PHASE_METHODS
from .module_code import FUNCTIONS, Function
from .outside_uses import outside_uses
from .own_code import OwnCode
from .permissions import GIVEN, SHARED

__all__ = ["check_moved_update", "check_part_of_step", "check_split_override"]

_WITH_CONTEXT = (SHARED, GIVEN)
"""The first argument has the random numbers that all learning modules draw from."""


def check_split_override(
    index: ClassIndex,
    one: ProjectClass,
    method: str,
    code_of_override: str | None = None,
) -> None:
    """Refuse to split an override whose halves might notice other learning modules.

    Args:
        index: The classes of the project.
        one: The class.
        method: The override.
        code_of_override: Its code, if not that of the file is to be checked.

    Raises:
        Refused: If it, or what it calls, may touch more than its own learning module;
            or if another learning module may see when it does.
    """
    instance = Instance(index, one)
    code = OwnCode(instance, with_montys=True)
    overrides = _overrides(instance, one, method)
    if code_of_override is not None:
        overrides = [Method(one, _function(code_of_override))]
    for override in overrides:
        code.check_step(override, _WITH_CONTEXT)
    inner = sorted(MONTYS_STEP.difference(_up_to(method)))
    for called in [one for name in inner for one in instance.methods.get(name, [])]:
        _check_called(code, called)
    # Together with the override, what Monty does in the step is moved.
    _check_outside(index, code.touched | MONTYS_ATTRIBUTES)


def check_moved_update(index: ClassIndex, one: ProjectClass, method: str) -> None:
    """Refuse to move what is done before the update of a graph before all updates.

    Args:
        index: The classes of the project.
        one: The class.
        method: The override of the update.

    Raises:
        Refused: If it may touch what updates use, or more than its learning module.
    """
    instance = Instance(index, one)
    code = OwnCode(instance, with_montys=False)
    for override in _overrides(instance, one, method):
        code.check_step(override, (GIVEN,))
    _check_outside(index, code.touched)


def check_part_of_step(index: ClassIndex, one: ProjectClass, method: str) -> None:
    """Refuse a method of the step that might notice other learning modules.

    Args:
        index: The classes of the project.
        one: The class.
        method: The method, which the step calls in one of its halves.

    Raises:
        Refused: If it, or what it calls, may touch more than its own learning module.
    """
    instance = Instance(index, one)
    code = OwnCode(instance, with_montys=True)
    for override in _overrides(instance, one, method):
        code.check_step(override, (GIVEN,))


def _function(code: str) -> Function:
    (node,) = ast.parse(code).body
    assert isinstance(node, FUNCTIONS)
    return node


def _up_to(method: str) -> Sequence[str]:
    """Return a method with halves, and those that call it."""
    return TWO_PHASE_METHODS[: TWO_PHASE_METHODS.index(method) + 1]


def _check_called(code: OwnCode, method: Method) -> None:
    has_context = method.node.name in TWO_PHASE_METHODS
    try:
        code.check_step(method, _WITH_CONTEXT if has_context else (GIVEN,))
    except Refused as refused:
        where = f"{method.owner.name}.{method.node.name}"
        raise Refused(f"{where} is part of the step, and {refused}") from refused


def _overrides(instance: Instance, one: ProjectClass, method: str) -> list[Method]:
    found = [each for each in instance.methods.get(method, []) if each.owner == one]
    if not found:
        raise Refused(f"{method} is not found in the text of {one.name}")
    return found


def _check_outside(index: ClassIndex, touched: set[str]) -> None:
    uses = outside_uses(index)
    for name in sorted(touched & uses.keys()):
        raise Refused(
            f"{uses[name]} uses {name} of another object, and may find it in another "
            "state then"
        )
