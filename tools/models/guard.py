# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Loads models in runs of upstream as the fork does: without code that they name."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from ..ending import CouldNotRun
from .converted import find_converted, read_converted

__all__ = ["guarded_models"]

NAME = "tbp.monty.frameworks.utils.unpickle_model"


@contextlib.contextmanager
def guarded_models() -> Iterator[None]:
    """Guards what the tbp.monty of this process loads.

    Raises:
        CouldNotRun: If a model is refused.
    """
    unpickling = _unpickling()
    # The fork reads models with this module itself.
    is_fork = unpickling.__name__ == NAME
    with contextlib.nullcontext() if is_fork else _guarded_torch(unpickling):
        try:
            yield
        except unpickling.RefusedModel as reason:
            raise CouldNotRun(str(reason)) from reason


@contextlib.contextmanager
def _guarded_torch(unpickling: Any) -> Iterator[None]:
    """Lets torch load models only if they hold what models need."""
    torch: Any = importlib.import_module("torch")
    load = torch.load

    def load_guarded(path: Any, **_: Any) -> Any:
        converted = find_converted(Path(path))
        if converted is not None:
            return read_converted(converted)
        torch.load = load  # which the guard itself calls
        try:
            return unpickling.unpickle_model(path)
        finally:
            torch.load = load_guarded

    torch.load = load_guarded
    try:
        yield
    finally:
        torch.load = load


def _unpickling() -> ModuleType:
    """Returns the fork's module, also where upstream is imported, which lacks it."""
    with contextlib.suppress(ModuleNotFoundError):
        return importlib.import_module(NAME)
    # The fork is installed beside the tools.
    file = Path(__file__).parents[2].joinpath(*NAME.split(".")).with_suffix(".py")
    spec = importlib.util.spec_from_file_location("unpickle_model_of_the_fork", file)
    if spec is None or spec.loader is None:
        raise CouldNotRun(f"{file} is missing: install the fork again")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
