# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty backends`: what can run the learning modules' work here."""

from __future__ import annotations

import argparse
from typing import Sequence

from tbp.monty.backends import BACKENDS, UnknownBackend, choose_backend

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
        chosen = choose_backend()
    except UnknownBackend as unknown:
        parser.error(f"MONTY_BACKEND: {unknown}")
    for backend in BACKENDS.values():
        mark = "*" if backend.name == chosen else " "
        print(f"{mark} {backend.name:<12}{backend.where:<6}{backend.summary}")
    return 0
