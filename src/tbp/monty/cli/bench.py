# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty bench`: upstream and the fork's backends, timed side by side."""

from __future__ import annotations

from typing import Sequence

from tbp.monty.cli.backend_option import check_backend
from tbp.monty.cli.paths import paths

__all__ = ["bench"]


def bench(arguments: Sequence[str]) -> int:
    """Time backends beside upstream.

    Args:
        arguments: The command line after `monty bench`.

    Returns:
        The exit status.
    """
    # Imported here, so that other commands do not wait for it.
    from monty_tools.bench.command import bench_main, bench_parser  # noqa: PLC0415
    from monty_tools.bench.side import UPSTREAM  # noqa: PLC0415

    parser = bench_parser()
    options = parser.parse_args(arguments)
    for name in options.backends:
        if name != UPSTREAM:
            check_backend(parser, name)
    return bench_main(options, paths=paths())
