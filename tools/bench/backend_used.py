# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Checks which backend a Monty uses, so that none is timed under another's name."""

from __future__ import annotations

from typing import Any

__all__ = ["WrongBackend", "check_backend"]


class WrongBackend(Exception):
    """A Monty does not use the backend that was asked for."""


def check_backend(monty: Any, asked: str | None) -> None:
    """Check that a Monty uses a backend, and leaves no work to others.

    Args:
        monty: The Monty, before or after an episode.
        asked: The name of the backend, or None for a Monty that knows none: upstream's.

    Raises:
        WrongBackend: If it uses another one.
    """
    backend = getattr(monty, "backend", None)
    used = getattr(backend, "name", None)
    if backend is None and asked is None:
        return
    if used != asked:
        raise WrongBackend(f"asked for the backend {asked}, but Monty uses {used}")
    elsewhere = getattr(backend, "stepped_whole", None)
    if elsewhere:
        raise WrongBackend(
            f"asked for the backend {asked}, but not all steps used it: {elsewhere}"
        )
