# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Splits a method as `migrate` splits an override."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from monty_tools.refactor.class_codemod import find_method, replace_method
from monty_tools.refactor.imports import with_import
from monty_tools.refactor.migrate.halves import halves_of_override

__all__ = ["split"]


def split(source: str, call: str) -> str:
    """Split the method `m` of the only class of a module.

    Args:
        source: The module.
        call: What the method calls where it is split.

    Returns:
        The module, with two halves in place of the method.

    Raises:
        Refused: If it cannot be split.
    """
    module = cst.parse_module(source)
    (definition,) = m.findall(module, m.ClassDef())
    at, method = find_method(definition, "m")
    halves = halves_of_override(method, call, definition.name.value, (), False)
    changed = replace_method(definition, at, halves.methods)
    body = [one for one in module.body if one is not definition]
    module = module.with_changes(body=[*body, *halves.records, changed])
    for needed in halves.imports:
        module = with_import(module, needed)
    return module.code
