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

from typing import Sequence

from tbp.monty.cli.backend_option import choose_backend_among
from tbp.monty.cli.paths import paths

__all__ = ["parity", "record"]


def parity(arguments: Sequence[str]) -> int:
    """Compare the fork with upstream on an experiment.

    Args:
        arguments: The command line after `monty parity`.

    Returns:
        The exit status.
    """
    choose_backend_among(arguments, prog="monty parity")

    from monty_tools.parity.command import parity_main  # noqa: PLC0415

    return parity_main(arguments, paths=paths())


def record(arguments: Sequence[str]) -> int:
    """Record an experiment with its observations.

    Args:
        arguments: The command line after `monty record`.

    Returns:
        The exit status.
    """
    from monty_tools.parity.command import record_main  # noqa: PLC0415

    return record_main(arguments, paths=paths())
