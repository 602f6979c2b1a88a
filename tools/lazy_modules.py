# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Postpones imports that take seconds and that most runs never need.

Upstream and its libraries import these modules at their top. The code of such a module
is run when something first asks for an attribute of it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["is_loaded", "postpone_imports"]

POSTPONED = (
    "torch._dynamo",  # torch_geometric imports it, for models that are compiled
    *(f"torch_geometric.{part}" for part in ("datasets", "explain", "nn", "profile")),
    "wandb",  # for runs that log to it, and for one figure of several learning modules
)


def postpone_imports() -> None:
    """Has modules be loaded when they are first used; to be called before all else."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def is_loaded(name: str) -> bool:
    """Returns whether a module was imported, and its code was run."""
    return not isinstance(sys.modules.get(name), (_Postponed, type(None)))


class _Finder:
    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if name not in POSTPONED:
            return None
        others = (one for one in sys.meta_path if one is not self)
        found = (one.find_spec(name, path, target) for one in others)
        spec = next((one for one in found if one is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """Loads a module without running its code.

    The standard library's `LazyLoader` would run it at the second import statement,
    which asks the module for its `__spec__`.
    """

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # Importing a submodule reads __path__: without it, that runs the code first.
        vars(module).pop("__path__", None)
        module.__class__ = _Postponed

    def run(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        module.__class__ = ModuleType
        spec.loader = module.__loader__ = self._loader
        if spec.submodule_search_locations is not None:
            module.__path__ = spec.submodule_search_locations
        try:
            self._loader.exec_module(module)
        except BaseException:
            spec.loader = module.__loader__ = self
            self.exec_module(module)  # so that the next use fails the same way
            raise


class _Postponed(ModuleType):
    """A module whose code has not been run."""

    def __getattr__(self, name: str) -> Any:
        with _lock:
            if type(self) is _Postponed:
                loader: Any = self.__loader__
                loader.run(self)
        return getattr(self, name)


_lock = threading.RLock()
