# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Installs packages of Debian and its relatives, where that is allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

__all__ = ["can_install", "install"]


def can_install() -> bool:
    """Return whether there is apt-get, and we may use it."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def install(package: str) -> None:
    """Install a package. Whether that worked shows when it is used."""
    print(f"installing {package}", file=sys.stderr)
    for command in (["update"], ["install", "-y", package]):
        subprocess.run(["apt-get", "-qq", *command], stdout=subprocess.DEVNULL)
