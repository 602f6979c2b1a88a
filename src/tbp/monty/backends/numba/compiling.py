# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How functions are compiled, and when what was compiled before is out of date.

No fast-math: LLVM neither reorders nor contracts floating-point operations then, which
is what keeps results equal to those of `numpy` to the last bit. Where a
multiplication and an addition are to be fused, that is said.

Only what is launched can be called from Python, and is kept on disk. All that it calls
is compiled with it.

What is called in a loop does not count references to arrays (`_nrt`): counting is
atomic, and takes longer than all the arithmetic.
"""

from __future__ import annotations

import hashlib
import logging
from functools import cache
from pathlib import Path
from typing import Any, Callable, NamedTuple, TypeVar

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.registry import cpu_target

from tbp.monty.backends.numba.pipelines import PartCompiler, WholeCompiler

__all__ = ["allocating", "called", "inlined", "launched", "part_of"]

logger = logging.getLogger(__name__)

_Tuple = TypeVar("_Tuple", bound=NamedTuple)

_ROOMS = ("numba", "numpy", "tables")
"""Where kernels, their constants and the tuples they take are."""


@cache
def _sources_stamp() -> str:
    digest = hashlib.sha256()
    for room in _ROOMS:
        for path in sorted(Path(__file__).parents[1].glob(f"{room}/*.py")):
            digest.update(f"{room}/{path.name}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _announce() -> None:
    logger.warning(
        "numba compiles its kernels for this machine, which takes 10 to 15 seconds; "
        "later runs use what was compiled"
    )


@cache
def _announce_no_cache() -> None:
    logger.warning(
        "numba compiles its kernels for this process only, which takes 10 to 15 "
        "seconds: neither the package's folder nor the user's cache can be written; "
        "set NUMBA_CACHE_DIR to a folder that can"
    )


class _Cache(FunctionCache):
    """A cache on disk that notices a change to any file that kernels are made of.

    numba's own looks at the file of the function that is called and at no other: it
    misses constants and functions of other modules, and the order of a tuple's fields.
    """

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        self._cache_file = IndexDataCacheFile(
            cache_path=self.cache_path,
            # In the name: an index of former sources may name modules that are gone,
            # and then cannot even be read.
            filename_base=f"{self._impl.filename_base}-{_sources_stamp()[:12]}",
            source_stamp=_sources_stamp(),
        )

    def load_overload(self, *arguments: Any) -> Any:
        try:
            compiled = super().load_overload(*arguments)
        except Exception as error:  # noqa: BLE001 damaged pickles raise anything
            self._discard(error)
            compiled = None
        if compiled is None:
            _announce()
        return compiled

    def save_overload(self, *arguments: Any) -> None:
        try:
            super().save_overload(*arguments)
        except OSError as error:
            logger.warning("a compiled kernel cannot be kept for later runs: %s", error)

    def _discard(self, error: Exception) -> None:
        logger.warning(
            "the kernel kept in %s cannot be read (%s: %s) and is compiled again",
            self._cache_file._index_path,
            type(error).__name__,
            error,
        )
        try:
            self.flush()
        except OSError:  # it cannot be written either
            self.disable()


def part_of(arrays: tuple, kind: type[_Tuple]) -> _Tuple:
    """Return some fields of a named tuple, as another one.

    For each field of its arguments a kernel takes longer to compile, load and call.
    """
    return kind(*(getattr(arrays, name) for name in kind._fields))


def launched(function: Callable) -> Callable:
    """Compile a function that Python calls, and keep it on disk."""
    dispatcher = numba.njit(
        error_model="numpy",
        pipeline_class=WholeCompiler,
        no_cfunc_wrapper=True,
    )(function)
    try:
        dispatcher._cache = _Cache(function)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        _announce_no_cache()
    return dispatcher


def _part(**options: Any) -> Callable[[Callable], Callable]:
    return numba.njit(
        error_model="numpy",
        pipeline_class=PartCompiler,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        **options,
    )


# numba imports most of itself when something is first called. That belongs to the
# start, not to the first step. Kernels are not loaded yet: that would start threads,
# and no process could be forked any more.
cpu_target.target_context.refresh()

allocating = _part()
called = _part(_nrt=False)
inlined = _part(_nrt=False, forceinline=True)
