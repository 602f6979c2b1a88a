# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Temporary folders; those of a process that was killed are removed by the next one."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import tempfile
from pathlib import Path
from typing import Iterator

from .locking import locked

__all__ = ["remove_abandoned", "temporary_folder", "whole_file", "write_whole"]

_PREFIX = ".tbp.monty-"
_SUFFIX = ".tmp"
_LOCK = ".lock"


@contextlib.contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Make a folder, and remove it at the end.

    As long as this process lives it holds a lock in the folder, so that others can
    tell a folder in use from an abandoned one.

    Args:
        parent: Where to make it. Defaults to the system's folder for such files.

    Yields:
        The folder.
    """
    remove_abandoned(parent)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    try:
        with locked(folder / _LOCK):
            # Others look for the suffix, and so never find it without its lock.
            folder = folder.rename(f"{folder}{_SUFFIX}")
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Have a file written elsewhere first, so that it is never incomplete.

    Args:
        path: The file. If there is one already, it is replaced at the end.

    Yields:
        Where to write it.
    """
    if path.exists() and not path.is_file():
        yield path  # a terminal or a pipe
        return
    with temporary_folder(path.parent) as folder:
        written = folder / "file"
        yield written
        written.replace(path)


def write_whole(path: Path, text: str) -> None:
    """Write a text file that is never incomplete."""
    with whole_file(path) as file:
        file.write_text(text, "utf-8")


def remove_abandoned(parent: Path | None = None) -> None:
    """Remove the temporary folders of processes that were killed."""
    for folder in (parent or Path(tempfile.gettempdir())).glob(f"{_PREFIX}*{_SUFFIX}"):
        # Others may own the folder, hold its lock, or be removing it.
        with contextlib.suppress(OSError), (folder / _LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
