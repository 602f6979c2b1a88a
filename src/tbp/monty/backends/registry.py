# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which backends there are, and which one to use."""

from __future__ import annotations

import difflib
import os
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Mapping

from tbp.monty.backends.failures import BackendUnavailable, UnknownBackend
from tbp.monty.backends.protocol import Backend

__all__ = [
    "BACKEND_VARIABLE",
    "DEFAULT_BACKEND",
    "ENTRY_POINTS",
    "chosen_backend",
    "known_backends",
    "load_backend",
    "open_backend",
]

ENTRY_POINTS = "tbp.monty.backends"
"""The group of entry points by which a distribution adds a backend."""

BACKEND_VARIABLE = "MONTY_BACKEND"
DEFAULT_BACKEND = "reference"

_OWN = {
    "reference": "tbp.monty.backends.reference:ReferenceBackend",
    "numba": "tbp.monty.backends.numba:NumbaBackend",
    "cuda": "tbp.monty.backends.cuda.backend:CudaBackend",
    "cuda-streams": "tbp.monty.backends.cuda.backend:CudaStreamsBackend",
    "null": "tbp.monty.backends.null:NullBackend",
    "auto": "tbp.monty.backends.auto:AutoBackend",
}


def known_backends() -> Mapping[str, EntryPoint]:
    """Return all backends by name, our own first.

    Nothing is imported: a backend may need libraries that are not there.
    """
    own = {
        name: EntryPoint(name, path, ENTRY_POINTS)
        for name, path in _OWN.items()
        if _is_there(path.split(":")[0])
    }
    found = entry_points()
    if hasattr(found, "select"):
        installed = found.select(group=ENTRY_POINTS)
    else:  # before Python 3.10
        installed = found.get(ENTRY_POINTS, ())
    added = {one.name: one for one in installed if one.name not in own}
    return {**own, **dict(sorted(added.items()))}


def chosen_backend(configured: str | None = None) -> str:
    """Return the name of the backend to use.

    Args:
        configured: What the config asks for. The environment variable
            `MONTY_BACKEND` comes before it, so that a config need not be changed.

    Returns:
        The name of a known backend.
    """
    asked = os.environ.get(BACKEND_VARIABLE)
    name = asked or configured or DEFAULT_BACKEND
    _entry(name, where=f" in {BACKEND_VARIABLE}" if asked else "")
    return name


def load_backend(name: str) -> type[Backend]:
    """Import the class of a backend that can be used here.

    Args:
        name: The name of the backend.

    Returns:
        The class.

    Raises:
        BackendUnavailable: If it cannot be imported, or says it cannot be used.
    """
    entry = _entry(name)
    try:
        backend = entry.load()
    except Exception as error:
        raise BackendUnavailable(
            f"backend {name!r} is unavailable: {entry.value} cannot be imported "
            f"({type(error).__name__}: {error}); install what it needs"
        ) from error
    reason = backend.unavailable()
    if reason is not None:
        raise BackendUnavailable(f"backend {name!r} is unavailable: {reason}")
    return backend


def open_backend(name: str) -> Backend:
    """Open a backend.

    Args:
        name: The name of the backend.

    Returns:
        The backend, to be closed by the caller.
    """
    return load_backend(name)()


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package that it is in
        return False


def _entry(name: str, where: str = "") -> EntryPoint:
    known = known_backends()
    if name in known:
        return known[name]
    nearest = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    raise UnknownBackend(
        f"unknown backend {name!r}{where}: known are {', '.join(known)}{hint}"
    )
