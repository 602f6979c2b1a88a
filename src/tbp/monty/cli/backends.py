# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty backends`: lists the backends, and which of them can be used here."""

from __future__ import annotations

import argparse
from typing import Sequence

from tbp.monty.backends.registry import (
    BackendUnavailable,
    UnknownBackend,
    chosen_backend,
    known_backends,
    load_backend,
)

__all__ = ["backends"]


def backends(arguments: Sequence[str]) -> int:
    """Print the backends.

    Args:
        arguments: The command line after `monty backends`.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        prog="monty backends",
        description="Lists the backends; a star marks the one a run would use.",
    )
    parser.parse_args(arguments)
    try:
        chosen = chosen_backend()
    except UnknownBackend as unknown:
        parser.error(str(unknown))
    for name in known_backends():
        mark = "*" if name == chosen else " "
        print(f"{mark} {name:<14}{_described(name)}")
    return 0


def _described(name: str) -> str:
    try:
        backend = load_backend(name)
        described = f"{backend.where:<6}{backend.summary}"
    except BackendUnavailable as reason:
        return str(reason)
    except AttributeError as lacking:
        return f"backend {name!r} is unfinished: {lacking}"
    return described
