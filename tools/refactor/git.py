# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The git commands that the tools use."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path
from typing import Iterable, Iterator

from ..temporary import temporary_folder
from .failures import GitFailed

__all__ = ["git", "ignored", "temporary_worktree", "uncommitted"]


def git(folder: Path, *arguments: str | Path) -> str:
    """Return what git puts out in a folder, without the last line end.

    Raises:
        GitFailed: If it fails, with its message.
    """
    # The large files of git-lfs are not needed.
    environment = {**os.environ, "GIT_LFS_SKIP_SMUDGE": "1"}
    command = ["git", "-C", str(folder), *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    except FileNotFoundError as missing:
        raise GitFailed("git is not installed") from missing
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip()
        raise GitFailed(f"git {arguments[0]} failed in {folder}:\n{said}")
    return done.stdout.rstrip("\n")


@contextlib.contextmanager
def temporary_worktree(repository: Path, revision: str = "HEAD") -> Iterator[Path]:
    """Check a commit out in a temporary folder, and remove the folder at the end.

    Commits made there are on no branch, and the checkout itself is not touched.

    Args:
        repository: The checkout.
        revision: The commit.

    Yields:
        The folder.
    """
    with temporary_folder() as folder:
        worktree = folder / repository.resolve().name
        try:
            new = ("worktree", "add", "--quiet", "--detach")
            git(repository, *new, worktree, revision)
            yield worktree
        finally:
            if worktree.exists():
                git(repository, "worktree", "remove", "--force", worktree)
            git(repository, "worktree", "prune")


def uncommitted(folder: Path, files: Iterable[str]) -> list[str]:
    """Return the files that differ from the last commit.

    Args:
        folder: A folder, inside a git checkout or not.
        files: Paths relative to it.

    Returns:
        The files with uncommitted changes; none where there is no git checkout.
    """
    try:
        status = git(folder, "status", "--porcelain", "-z", "--", *files)
    except GitFailed:
        # Outside a checkout there are no uncommitted changes to lose.
        return []
    # A row is two letters, a space and the path.
    return sorted(row[3:] for row in status.split("\0") if row)


def ignored(folder: Path) -> set[Path]:
    """Return the files and folders below a folder that git ignores.

    Args:
        folder: A folder, inside a git checkout or not. What git ignores in checkouts
            below it is not known.

    Returns:
        The paths; none where there is no git checkout.
    """
    untracked = ("ls-files", "--others", "--ignored", "--exclude-standard")
    try:
        paths = git(folder, *untracked, "--directory", "-z")
    except GitFailed:
        return set()
    return {folder / path for path in paths.split("\0") if path}
