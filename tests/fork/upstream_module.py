# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Loads single modules of unchanged upstream, to compare them with the fork's."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from monty_tools.refactor.upstream import obtain

__all__ = ["upstream_module"]


def upstream_module(name: str) -> Any:
    """Return a module of the pinned release; what it imports is the fork's.

    Args:
        name: The module, below `tbp.monty`.
    """
    path = obtain().import_root / "tbp" / "monty" / f"{name.replace('.', '/')}.py"
    spec = importlib.util.spec_from_file_location(f"upstream.{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
