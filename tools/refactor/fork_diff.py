# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows what a change of the codemods does to the fork.

    python -m tools.refactor.fork_diff [REVISION]

It applies the series of a revision (by default the last commit) and the series of the
working tree to the pinned release, and prints how the second result differs from the
first. The overlay's files are part of both.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Sequence

from ..guard import guarded
from .failures import GitFailed
from .git import git, temporary_worktree
from .layout import build_folder, checkout
from .upstream import obtain

__all__ = ["fork_diff", "main"]


def fork_diff(root: Path, upstream: Path, revision: str = "HEAD") -> str:
    """Return how the fork that a checkout makes differs from that of a revision.

    Both are made from the same release. The diff is empty if the forks are the same.
    """
    with temporary_worktree(root, revision) as earlier:
        folder = earlier.parent
        before, after = folder / "before", folder / "after"
        _make(earlier, upstream, before)
        _make(root, upstream, after)
        command = ["git", "diff", "--no-index", "--stat", "--patch", "--no-color"]
        command += ["--", before.name, after.name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    # 1: there is a difference.
    if done.returncode > 1:
        raise GitFailed(f"git diff failed:\n{done.stderr.strip()}")
    return done.stdout.rstrip("\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the difference.

    Returns:
        The exit status: 0 even if there is a difference.
    """
    parser = argparse.ArgumentParser(
        prog="fork-diff", description="Shows what a change does to the fork."
    )
    parser.add_argument("revision", nargs="?", default="HEAD")
    revision = parser.parse_args(arguments).revision
    return guarded(parser.prog, lambda: _print_diff(revision))


def _print_diff(revision: str) -> int:
    root = checkout()
    if root is None:
        raise GitFailed("the fork is made from a checkout of the project")
    upstream = obtain(cache=build_folder() / "upstream").folder
    name = git(root, "rev-parse", "--short", f"{revision}^{{commit}}")
    difference = fork_diff(root, upstream, revision)
    print(difference or f"the fork is the same as the one that {name} makes")
    return 0


def _make(root: Path, upstream: Path, target: Path) -> None:
    """Make a tree with the codemods of a checkout, in its own process."""
    command = [sys.executable, "-m", "tools.refactor", "apply"]
    command += ["--upstream", str(upstream), "--out", str(target)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise GitFailed(f"{root} makes no fork:\n{done.stderr.strip()}")


if __name__ == "__main__":
    sys.exit(main())
