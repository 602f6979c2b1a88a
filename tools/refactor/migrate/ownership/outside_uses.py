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
from dataclasses import dataclass
from typing import Collection, Iterator, Sequence

from ...phases.naming import halves_of
from ..class_index import ClassIndex
from ..kinds import Kind
from ..module_names import dotted
from .instance import is_of
from .known_code import TWO_PHASE_METHODS
from .module_code import FUNCTIONS, Function, ModuleCode, code_of

__all__ = ["outside_uses"]

_PROCESS = {halves_of(method).process for method in TWO_PHASE_METHODS}


@functools.lru_cache(maxsize=4)
def outside_uses(index: ClassIndex) -> dict[str, str]:
    """Return the attributes that learning modules use of other objects than themselves.

    One of those objects may be another learning module. Methods count with what they
    use of their own instance, functions of the module with what they use at all.

    Args:
        index: The classes of the project.

    Returns:
        By attribute, the class that uses it.
    """
    found: dict[str, str] = {}
    by_name: dict[str, list[_Code]] = {}
    for code in _methods(index):
        by_name.setdefault(code.node.name, []).append(code)
        for name in _used(code, outside=True):
            found.setdefault(name, code.owner)
    todo = [*found]
    for name in todo:
        for code in by_name.get(name, []):
            new = sorted({*_used(code, outside=False)} - found.keys())
            found.update(dict.fromkeys(new, found[name]))
            todo += new
    return found


@dataclass(frozen=True)
class _Code:
    """A method of a learning module, or a function that one calls.

    Attributes:
        node: Its code.
        owner: The class of the method.
        instance: The name of the instance in a method.
        imports: The names that the module imports, or that are no other objects.
    """

    node: Function
    owner: str
    instance: str
    imports: Collection[str]


def _methods(index: ClassIndex) -> Iterator[_Code]:
    for file, text in index.texts.items():
        # Learning modules of Monty, in a copy of it, do not use each other.
        if "class " not in text or file in index.of_monty:
            continue
        names = index.names(file)
        for owner in names.bases:
            if index.kind(file, owner) not in (Kind.EVIDENCE_LM, Kind.LM):
                continue
            module = code_of(text)
            for node in module.classes.get(owner, []):
                methods = [one for one in node.body if isinstance(one, FUNCTIONS)]
                for one in methods:
                    parameters = [*one.args.posonlyargs, *one.args.args]
                    instance = parameters[0].arg if parameters else ""
                    # What a half is passed by the other one is not another object.
                    pending = {
                        two.arg for two in parameters[1:] if one.name in _PROCESS
                    }
                    yield _Code(one, owner, instance, {*names.imports, *pending})
                for one in _functions_called(module, methods):
                    yield _Code(one, owner, "", names.imports)


def _functions_called(
    module: ModuleCode, methods: Sequence[Function]
) -> Iterator[Function]:
    """Yield the functions of a module that methods call, directly or not."""
    todo = [*methods]
    for code in todo:
        for node in ast.walk(code):
            name = node.id if isinstance(node, ast.Name) else ""
            function = module.functions.get(name)
            if function is not None and function not in todo:
                todo.append(function)
                yield function


def _used(code: _Code, outside: bool) -> Iterator[str]:
    """Yield the attributes that code uses of its instance, or of other objects."""
    for node in ast.walk(code.node):
        if isinstance(node, ast.Attribute):
            # A function of a module is not an attribute of an object.
            of_module = (dotted(node.value) or "").partition(".")[0] in code.imports
            if not of_module and is_of(node, code.instance) is not outside:
                yield node.attr
        elif outside and isinstance(node, ast.Call) and len(node.args) > 1:
            name = node.args[1]
            by_name = dotted(node.func) in ("getattr", "setattr")
            if by_name and isinstance(name, ast.Constant):
                yield str(name.value)
