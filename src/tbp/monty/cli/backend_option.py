# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Selects the backend named on the command line, or says why it cannot be used."""

from __future__ import annotations

import argparse
import os
from typing import Sequence

from tbp.monty.backends.registry import (
    BACKEND_VARIABLE,
    BackendUnavailable,
    UnknownBackend,
    chosen_backend,
    load_backend,
)

__all__ = [
    "check_backend",
    "check_side_among",
    "choose_backend",
    "choose_backend_among",
]

UPSTREAM = "upstream"


def choose_backend(parser: argparse.ArgumentParser, asked: str | None) -> None:
    """Make this process and its child processes use a backend.

    Args:
        parser: Ends the process if the backend cannot be used here.
        asked: The name given on the command line, if any.
    """
    if asked is not None:
        os.environ[BACKEND_VARIABLE] = asked
    check_backend(parser)


def choose_backend_among(arguments: Sequence[str], prog: str) -> None:
    """Use the backend that is named among arguments of another parser.

    Args:
        arguments: The arguments.
        prog: The command they are for.
    """
    parser = argparse.ArgumentParser(prog=prog, add_help=False)
    parser.add_argument("--backend")
    choose_backend(parser, parser.parse_known_args(arguments)[0].backend)


def check_side_among(arguments: Sequence[str], prog: str) -> None:
    """End the process if the side that is named is a backend that cannot be used here.

    Args:
        arguments: The arguments, of another parser.
        prog: The command they are for.
    """
    parser = argparse.ArgumentParser(prog=prog, add_help=False)
    parser.add_argument("--side", default=UPSTREAM)
    side = parser.parse_known_args(arguments)[0].side
    if side != UPSTREAM:
        check_backend(parser, side)


def check_backend(parser: argparse.ArgumentParser, name: str | None = None) -> None:
    """End the process if a backend cannot be used here.

    Args:
        parser: Ends the process.
        name: The name of the backend; None for the one that a run would use.
    """
    try:
        load_backend(chosen_backend() if name is None else name)
    except (BackendUnavailable, UnknownBackend) as problem:
        parser.error(str(problem))
