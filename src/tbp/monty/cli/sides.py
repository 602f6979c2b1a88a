# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Checks the backends that are named on the command line, and finds what runs them."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Iterator

import tbp.monty
from monty_tools.arguments import is_folder
from tbp.monty.backends.registry import (
    BACKEND_VARIABLE,
    BackendUnavailable,
    UnknownBackend,
    chosen_backend,
    load_backend,
)

if TYPE_CHECKING:
    from monty_tools.workers.sides import Paths

__all__ = ["UPSTREAM", "check_sides", "choose_backend", "named_sides", "paths"]

UPSTREAM = "upstream"


def check_sides(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End the process if a backend is named that cannot be used here.

    Args:
        parser: Ends the process.
        options: What was parsed.
    """
    if getattr(options, "ray", None) == "local":
        # On a cluster, the workers' machines decide what can be used.
        choose_backend(parser, options.backend)
    for side in named_sides(options):
        if side != UPSTREAM:
            _check_backend(parser, side)


def choose_backend(parser: argparse.ArgumentParser, asked: str | None) -> None:
    """Make this process and its child processes use a backend.

    Args:
        parser: Ends the process if the backend cannot be used here.
        asked: The name given on the command line, if any.
    """
    if asked is not None:
        os.environ[BACKEND_VARIABLE] = asked
    _check_backend(parser, asked)


def paths(*, upstream: bool) -> Paths:
    """Return the paths of upstream, of this fork and of cached recordings.

    Args:
        upstream: Whether upstream will be run; it is fetched if need be.
    """
    from monty_tools.workers.sides import Paths  # noqa: PLC0415

    fork_root = Path(tbp.monty.__file__).parents[2]
    if not upstream:
        return Paths(upstream_root=None, fork_root=fork_root, cache=None)

    from monty_tools.refactor.layout import build_folder  # noqa: PLC0415
    from monty_tools.refactor.upstream import obtain  # noqa: PLC0415

    return Paths(
        upstream_root=obtain().import_root,
        fork_root=fork_root,
        cache=build_folder() / "recordings",
    )


def named_sides(options: argparse.Namespace) -> Iterator[str | None]:
    """Yield the sides that will run; None is the backend that a run would use."""
    for name in ("baseline", "proposed", "side"):
        if hasattr(options, name):
            sides = getattr(options, name)
            for side in sides if isinstance(sides, tuple) else (sides,):
                if side is None or not is_folder(side):
                    yield side


def _check_backend(parser: argparse.ArgumentParser, name: str | None) -> None:
    try:
        load_backend(chosen_backend() if name is None else name)
    except (BackendUnavailable, UnknownBackend) as problem:
        parser.error(str(problem))
