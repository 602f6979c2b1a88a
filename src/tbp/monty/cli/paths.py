# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The paths of upstream, of this fork and of cached recordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import tbp.monty

if TYPE_CHECKING:
    from monty_tools.parity.sides import Paths

__all__ = ["paths"]


def paths(*, upstream: bool = True) -> Paths:
    """Return the paths of the two sides, for the tools that run both.

    Args:
        upstream: Whether upstream will be run; it is fetched if need be.
    """
    from monty_tools.parity.sides import Paths  # noqa: PLC0415

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
