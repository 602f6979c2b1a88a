# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How functions are compiled, and where what was compiled is kept.

No fast-math: LLVM neither reorders nor contracts floating-point operations then, which
is what keeps results equal to those of `numpy` to the last bit. Where a multiplication
and an addition are to be fused, that is said.

Kernels keep the GIL. numba's simplest thread pool, which it takes where neither OpenMP
nor TBB is installed, must not be entered by two threads at a time.
"""

from __future__ import annotations

import hashlib
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Callable, NamedTuple, TypeVar

import numba

__all__ = ["SHORT", "called", "folder", "in_threads", "kernels", "launched", "tuple_of"]

_Tuple = TypeVar("_Tuple", bound=NamedTuple)

_ROOMS = ("numba", "numpy", "tables")
"""Where kernels, their constants and the tuples they take are."""

SHORT = 200_000
"""Up to so many nanoseconds, threads save less than they may cost.

A loop in threads ends when every thread has had its turn, which takes milliseconds
where other processes keep the cores busy.
"""

kernels: dict[str, Any] = {}
"""What Python can call, by name."""

called = numba.njit(error_model="numpy")
"""Compiles a function that only compiled functions call."""


def launched(parallel: bool = False) -> Callable[[Callable], Any]:
    """Compile a function that Python calls, and keep it on disk.

    Args:
        parallel: Whether it has loops that may run in threads.
    """

    def compiled(function: Callable) -> Any:
        kept_in = folder()
        # numba reads its setting here and nowhere else.
        setting = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(kept_in or "")
        try:
            kernel = numba.njit(
                error_model="numpy", parallel=parallel, cache=kept_in is not None
            )(function)
        finally:
            numba.config.CACHE_DIR = setting
        kernels[function.__name__.strip("_")] = kernel
        return kernel

    return compiled


@cache
def folder() -> Path | None:
    """Return where kernels are kept: another folder for other sources or numbas.

    numba itself looks at the file of the function that is called and at no other: it
    misses constants and functions of other modules, and the order of a tuple's fields.
    What another version of numba compiled it would overwrite.

    Returns:
        The folder; None if no folder can be written.
    """
    package = Path(__file__).parent
    places = [package / "__pycache__", Path("~/.cache/tbp.monty/numba").expanduser()]
    if numba.config.CACHE_DIR:
        places = [Path(numba.config.CACHE_DIR)]
    for place in places:
        found = place / f"kernels-{_stamp()}"
        try:
            found.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=found):
                return found
        except OSError:
            continue
    return None


def _stamp() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for room in _ROOMS:
        for path in sorted(Path(__file__).parents[1].glob(f"{room}/*.py")):
            digest.update(f"{room}/{path.name}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def in_threads(nanoseconds: float) -> bool:
    """Return whether a loop that takes so long in one thread shall run in threads."""
    return bool(nanoseconds > SHORT)


def tuple_of(arrays: tuple, kind: type[_Tuple]) -> tuple:
    """Return some fields of a named tuple, for the fields of another one.

    For each field of its arguments a kernel takes longer to compile, load and call. The
    tuple has no names, as loops in threads cannot take those.
    """
    return tuple(getattr(arrays, name) for name in kind._fields)
