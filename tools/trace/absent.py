# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Stands in for libraries that Monty imports but its learning modules do not use.

A machine with a GPU need not have them: settings, tables of the attention system,
checks of arguments. A stand-in has classes of any name. These support only subclassing,
use as decorators, and construction with any arguments, which become attributes.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any

__all__ = ["LIBRARIES", "stand_in_for_absent"]

LIBRARIES = ("omegaconf", "pandas", "pydantic", "quaternion", "sklearn")


def stand_in_for_absent() -> list[str]:
    """Makes libraries importable that are not installed, and returns their names."""
    absent = [name for name in LIBRARIES if not _is_installed(name)]
    if absent:
        for name in absent:
            # None marks a module that Python must not import.
            sys.modules.pop(name, None)
        sys.meta_path.append(_Finder(absent))
    return absent


def _is_installed(name: str) -> bool:
    if name in sys.modules:
        return sys.modules[name] is not None
    return importlib.util.find_spec(name) is not None


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds all modules of absent libraries."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def find_spec(
        self,
        fullname: str,
        path: object = None,  # noqa: ARG002
        target: object = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in self._names:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _StandInModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


class _StandInModule(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (_StandIn,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class _StandIn:
    def __init__(self, *args: Any, **attributes: Any) -> None:
        self.args = args
        vars(self).update(attributes)

    def __call__(self, decorated: Any) -> Any:
        return decorated
