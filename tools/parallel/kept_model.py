# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads the model of an experiment once, and gives a copy to each episode."""

from __future__ import annotations

import contextlib
import copy
import importlib
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

from ..models.guard import guarded_models

__all__ = ["EXPERIMENT", "kept_models"]

EXPERIMENT = "tbp.monty.frameworks.experiments.monty_experiment"


@contextlib.contextmanager
def kept_models() -> Iterator[None]:
    """Keeps every model that experiments of this process load.

    An episode may change its model, so it gets a deep copy, and the kept one is never
    handed out.
    """
    module: Any = importlib.import_module(EXPERIMENT)
    replacement: Any
    with contextlib.ExitStack() as stack:
        if hasattr(module, "read_model"):
            name, replacement = "read_model", _keeping(module.read_model)
        else:
            # Upstream's experiments call torch, and nothing guards what they load.
            stack.enter_context(guarded_models())
            name, replacement = "torch", _with_load(module.torch, _keeping(_load))
        stack.callback(setattr, module, name, getattr(module, name))
        setattr(module, name, replacement)
        yield


def _keeping(read: Callable[..., Any]) -> Callable[..., Any]:
    kept: dict[Any, Any] = {}

    def read_once(path: Any, **options: Any) -> Any:
        if path not in kept:
            kept[path] = read(path, **options)
        return copy.deepcopy(kept[path])

    return read_once


def _load(path: Any, **options: Any) -> Any:
    torch: Any = importlib.import_module("torch")
    return torch.load(path, **options)  # the guard replaces it again and again


def _with_load(torch: ModuleType, load: Callable[..., Any]) -> SimpleNamespace:
    """Returns what one module sees of torch; the others go on with torch itself."""
    return SimpleNamespace(**{**vars(torch), "load": load})
