# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Two LLVMs in one process: triton's, and the one that Mesa renders with.

PyOpenGL makes all symbols of Mesa's libraries visible to every library that is loaded
after them. triton, which PyPI's torch for Linux brings along, has an LLVM of another
version in it. Loaded after Mesa, it calls Mesa's, and the process crashes. So triton
is loaded first. Upstream needs that as much as the fork, so every process that may
render does it, rather than a module of either.
"""

from __future__ import annotations

import contextlib
import importlib

__all__ = ["load_triton_first"]


def load_triton_first() -> None:
    """Load triton if it is installed; to be called before MuJoCo is imported."""
    # Before torch, which would import it for code that is compiled.
    with contextlib.suppress(ImportError):
        importlib.import_module("triton")
