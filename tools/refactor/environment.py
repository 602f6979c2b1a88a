# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The environment of a process that must import a given tbp.monty."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["importing_from"]


def importing_from(import_root: Path) -> dict[str, str]:
    """Return this process's environment with a folder first on Python's path."""
    paths = [str(import_root), os.environ.get("PYTHONPATH", "")]
    # Bytecode of one commit must not be used for the next one.
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
