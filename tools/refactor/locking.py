# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""One process at a time in a folder that several may want to fill."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Iterator

try:
    import fcntl
except ImportError:  # Windows: builds are not run side by side there.
    fcntl = None

__all__ = ["locked"]


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock, released when the process ends however it ends.

    Args:
        path: The lock file; made with its folder if need be.

    Yields:
        Nothing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
