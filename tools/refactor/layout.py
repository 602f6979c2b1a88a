# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The folders of this project, in a checkout and when it is installed."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["build_folder", "checkout", "overlay_root"]

# Resolved, because an editable install reaches this package through a link.
_TOOLS = Path(__file__).resolve().parents[1]


def checkout() -> Path | None:
    """Return the project's checkout, or None when running from an installed wheel."""
    root = _TOOLS.parent
    return root if (root / "src" / "tbp" / "monty").is_dir() else None


def overlay_root() -> Path:
    """Return the folder below which the overlay's `tbp/monty/...` files lie.

    In a wheel the overlay is part of the installed fork itself.
    """
    root = checkout()
    return root / "src" if root else _TOOLS.parent


def build_folder() -> Path:
    """Return the folder for everything that can be made again."""
    root = checkout()
    if root:
        return root / "build"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "tbp.monty-backends"
