# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty trace` and `monty replay`: the learning modules of a run, without the rest."""

from __future__ import annotations

from typing import Sequence

from tbp.monty.cli.backend_option import choose_backend, choose_backend_among
from tbp.monty.cli.paths import paths

__all__ = ["replay", "trace"]


def trace(arguments: Sequence[str]) -> int:
    """Trace the inputs and beliefs of a run's learning modules.

    Args:
        arguments: The command line after `monty trace`.

    Returns:
        The exit status.
    """
    choose_backend_among(arguments, prog="monty trace")

    from monty_tools.trace.command import trace_main  # noqa: PLC0415

    return trace_main(arguments, paths=paths())


def replay(arguments: Sequence[str]) -> int:
    """Feed a trace to learning modules.

    Args:
        arguments: The command line after `monty replay`.

    Returns:
        The exit status.
    """
    from monty_tools.trace.absent import stand_in_for_absent  # noqa: PLC0415

    absent = stand_in_for_absent()
    if absent:
        print(f"not installed here, and not needed to replay: {', '.join(absent)}")

    from monty_tools.trace.command import (  # noqa: PLC0415
        UPSTREAM,
        replay_main,
        replay_parser,
    )

    parser = replay_parser()
    options = parser.parse_args(arguments)
    choose_backend(parser, options.backend)
    # Fetching upstream needs the network, which a machine with a GPU may not have.
    return replay_main(options, paths=paths(upstream=options.against == UPSTREAM))
