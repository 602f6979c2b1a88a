# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What git knows of the files that are about to be written."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Iterable

__all__ = ["uncommitted"]


def uncommitted(folder: Path, files: Iterable[str]) -> list[str]:
    """Return those files that differ from the last commit.

    Args:
        folder: A folder of a git checkout, or not.
        files: Paths relative to it.

    Returns:
        The files with uncommitted changes; none where there is no git checkout.
    """
    command = ["git", "-C", str(folder), "status", "--porcelain", "-z", "--"]
    try:
        status = subprocess.run([*command, *files], capture_output=True, text=True)
    except FileNotFoundError:
        return []
    # Outside a checkout git says so and fails: there is nothing to lose track of.
    if status.returncode:
        return []
    # A row is two letters, a space and the path.
    return sorted(row[3:] for row in status.stdout.split("\0") if row)
