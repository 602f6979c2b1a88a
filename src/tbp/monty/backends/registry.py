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
import pkgutil
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar, Mapping, Protocol

from tbp.monty.backends import builtin
from tbp.monty.backends.protocol import Backend

__all__ = [
    "BACKEND_VARIABLE",
    "BackendUnavailable",
    "KnownBackend",
    "UnknownBackend",
    "chosen_backend",
    "known_backends",
    "load_backend",
    "open_backend",
]

BACKEND_VARIABLE = "MONTY_BACKEND"

_ENTRY_POINTS = "tbp.monty.backends"
"""The group of entry points by which a distribution adds a backend."""
_DEFAULT = "reference"


class KnownBackend(Backend, Protocol):
    """A backend that can be chosen by its name.

    It is opened by calling its class without arguments.
    """

    where: ClassVar[str]
    """Where the work runs: `CPU`, `GPU`."""
    summary: ClassVar[str]
    """One line for people who choose between backends."""

    @staticmethod
    def unavailable() -> str | None:
        """Return why it cannot be used here and what to do about it, or None."""
        ...

    def discard(self) -> None:
        """Forget all updates whose results were not taken, after a step has failed.

        Learning modules have the hypotheses that they had before.
        """
        ...

    def note(self) -> str:
        """Return further facts about a run, for its summary."""
        ...


class UnknownBackend(ValueError):
    """There is no backend of that name."""


class BackendUnavailable(RuntimeError):
    """The backend is known, but cannot be used on this machine."""


def open_backend(backend: str | KnownBackend | None = None) -> KnownBackend:
    """Open the backend to use.

    Args:
        backend: The name in the config, if there is one, or an open backend.

    Returns:
        An open backend.
    """
    if backend is None or isinstance(backend, str):
        return load_backend(chosen_backend(backend))()
    return backend


def known_backends() -> Mapping[str, EntryPoint]:
    """Return all backends by name.

    Nothing is imported: a backend may need libraries that are not there.
    """
    own = {}
    for module in pkgutil.iter_modules(builtin.__path__):
        name = module.name.replace("_", "-")
        class_name = f"{module.name.title().replace('_', '')}Backend"
        path = f"{builtin.__name__}.{module.name}:{class_name}"
        own[name] = EntryPoint(name, path, _ENTRY_POINTS)
    found = entry_points()
    if hasattr(found, "select"):
        installed = found.select(group=_ENTRY_POINTS)
    else:  # before Python 3.10
        installed = found.get(_ENTRY_POINTS, ())  # type: ignore[arg-type]
    return {**{one.name: one for one in sorted(installed)}, **own}


def chosen_backend(configured: str | None = None) -> str:
    """Return the name of the backend to use.

    Args:
        configured: The name in the config. The environment variable `MONTY_BACKEND`
            takes precedence, so that a config need not be changed.

    Returns:
        The name of a known backend.
    """
    asked = os.environ.get(BACKEND_VARIABLE)
    name = asked or configured or _DEFAULT
    _entry(name, where=f" in {BACKEND_VARIABLE}" if asked else "")
    return name


def load_backend(name: str) -> type[KnownBackend]:
    """Import the class of a backend that can be used here.

    Returns:
        The class of that name.

    Raises:
        BackendUnavailable: If the backend says that it cannot be used here, or raises
            something else, which is then the cause.
    """
    entry = _entry(name)
    try:
        backend = entry.load()
        reason = backend.unavailable()
    except Exception as error:
        raise BackendUnavailable(
            f"backend {name!r} is unavailable: {entry.value} fails with "
            f"{type(error).__name__}: {error}; install what it needs, or fix it"
        ) from error
    if reason is not None:
        raise BackendUnavailable(f"backend {name!r} is unavailable: {reason}")
    return backend


def _entry(name: str, where: str = "") -> EntryPoint:
    known = known_backends()
    if name in known:
        return known[name]
    nearest = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    raise UnknownBackend(
        f"unknown backend {name!r}{where}: known are {', '.join(known)}{hint}"
    )
