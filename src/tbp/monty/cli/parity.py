# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty parity` and `monty record`: the fork beside upstream."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Sequence

import tbp.monty
from tbp.monty.backends import (
    BACKEND_VARIABLE,
    BackendUnavailable,
    UnknownBackend,
    chosen_backend,
    load_backend,
)

__all__ = ["parity", "record"]


def parity(arguments: Sequence[str]) -> int:
    """Compare the fork with upstream on an experiment.

    Args:
        arguments: The command line after `monty parity`.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(prog="monty parity", add_help=False)
    parser.add_argument("--backend")
    asked = parser.parse_known_args(arguments)[0].backend
    if asked is not None:
        os.environ[BACKEND_VARIABLE] = asked
    try:
        load_backend(chosen_backend())
    except (BackendUnavailable, UnknownBackend) as problem:
        parser.error(str(problem))

    from monty_tools.parity.command import parity_main  # noqa: PLC0415

    return parity_main(arguments, paths=_paths())


def record(arguments: Sequence[str]) -> int:
    """Record an experiment with its observations.

    Args:
        arguments: The command line after `monty record`.

    Returns:
        The exit status.
    """
    from monty_tools.parity.command import record_main  # noqa: PLC0415

    return record_main(arguments, paths=_paths())


def _paths():
    from monty_tools.parity.sides import Paths  # noqa: PLC0415
    from monty_tools.refactor.layout import build_folder  # noqa: PLC0415
    from monty_tools.refactor.upstream import obtain  # noqa: PLC0415

    return Paths(
        upstream_root=obtain().import_root,
        fork_root=Path(tbp.monty.__file__).parents[2],
        cache=build_folder() / "recordings",
    )
