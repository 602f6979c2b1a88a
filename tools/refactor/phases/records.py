# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Builds the classes of objects passed between the halves of a method."""

from __future__ import annotations

from typing import Sequence

import libcst as cst

from ..nodes import parsed
from .blocks import EMPTY_LINE
from .dispatch_half import DispatchHalf
from .parameters import all_parameters
from .pending import Pending
from .scopes import own_nodes

__all__ = ["records_for"]


def records_for(
    method: cst.FunctionDef, pending: Pending, first: DispatchHalf
) -> list[cst.ClassDef]:
    """Return the classes that a method's halves need."""
    name = method.name.value
    records = [
        _record(
            pending.type_name,
            f"A call of `{name}` that waits for its results.",
            pending.fields(_variable_types(method)),
        )
    ]
    if first.finishes_with_record:
        returned = "Any"
        if method.returns is not None:
            returned = cst.Module([]).code_for_node(method.returns.annotation)
        records.append(
            _record(
                pending.finished_name,
                f"A call of `{name}` that had no work to dispatch.",
                [f"value: {returned}"],
            )
        )
    return records


def _record(name: str, documentation: str, fields: Sequence[str]) -> cst.ClassDef:
    lines = "".join(f"    {field}\n" for field in fields)
    text = (
        f'@dataclass(frozen=True)\nclass {name}:\n    """{documentation}"""\n\n{lines}'
    )
    return parsed(text, cst.ClassDef).with_changes(leading_lines=[EMPTY_LINE] * 2)


def _variable_types(method: cst.FunctionDef) -> dict[str, str]:
    """Return the annotations of a method's parameters and variables, as text."""
    code = cst.Module([]).code_for_node
    types = {
        node.target.value: code(node.annotation.annotation)
        for node in own_nodes(method.body, cst.AnnAssign)
        if isinstance(node.target, cst.Name)
    }
    for parameter in all_parameters(method.params):
        if parameter.annotation is not None:
            types[parameter.name.value] = code(parameter.annotation.annotation)
    starred = [
        (method.params.star_arg, "tuple[{}, ...]"),
        (method.params.star_kwarg, "dict[str, {}]"),
    ]
    for star, container in starred:
        if isinstance(star, cst.Param):
            name = star.name.value
            types[name] = container.format(types.get(name, "Any"))
    return types
