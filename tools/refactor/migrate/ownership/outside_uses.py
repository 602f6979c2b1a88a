# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds what learning modules of a project use of other objects."""

from __future__ import annotations

import ast
import functools
from typing import Iterator

from ..class_index import ClassIndex
from ..kinds import Kind
from ..module_names import dotted
from .instance import is_of
from .module_code import FUNCTIONS, Function, code_of

__all__ = ["outside_uses"]


@functools.lru_cache(maxsize=4)
def outside_uses(index: ClassIndex) -> dict[str, str]:
    """Return the attributes that learning modules use of other objects than themselves.

    One of those objects may be another learning module. Methods count with what they
    use of their own instance.

    Args:
        index: The classes of the project.

    Returns:
        By attribute, the class that uses it.
    """
    methods = [*_methods(index)]
    found: dict[str, str] = {}
    for owner, method, imports in methods:
        for name in _used(method, imports, outside=True):
            found.setdefault(name, owner)
    todo = [*found]
    for name in todo:
        for _, method, imports in methods:
            if method.name == name:
                new = sorted({*_used(method, imports, outside=False)} - found.keys())
                found.update(dict.fromkeys(new, found[name]))
                todo += new
    return found


def _methods(index: ClassIndex) -> Iterator[tuple[str, Function, set[str]]]:
    """Yield the methods of learning modules, with their class and its imports."""
    for file, text in index.texts.items():
        for name in index.names(file).bases if "class " in text else ():
            if index.kind(file, name) not in (Kind.EVIDENCE_LM, Kind.LM):
                continue
            imports = {*index.names(file).imports}
            for node in code_of(text).classes.get(name, []):
                for statement in node.body:
                    if isinstance(statement, FUNCTIONS):
                        yield name, statement, imports


def _used(method: Function, imports: set[str], outside: bool) -> Iterator[str]:
    """Yield the attributes that a method uses of its instance, or of other objects."""
    parameters = [*method.args.posonlyargs, *method.args.args]
    instance = parameters[0].arg if parameters else ""
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and is_of(node, instance) is not outside:
            # A function of a module is not an attribute of an object.
            if (dotted(node.value) or "").partition(".")[0] not in imports:
                yield node.attr
        elif outside and isinstance(node, ast.Call) and len(node.args) > 1:
            name = node.args[1]
            by_name = dotted(node.func) in ("getattr", "setattr")
            if by_name and isinstance(name, ast.Constant):
                yield str(name.value)
