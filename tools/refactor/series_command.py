# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty-refactor series`: the series as a branch or as patches."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .branch import Commit, make_branch
from .failures import NotMonty
from .series import SERIES

__all__ = ["add_series_command"]

_EPILOG = """\
examples:
  monty-refactor series ~/tbp.monty --branch two-phase
  monty-refactor series ~/tbp.monty --patches patches
  monty-refactor series ~/tbp.monty --branch two-phase --verify 'pytest tests/unit'

The checkout, its index and its other branches are not touched. The command of --verify
runs in a temporary checkout of each commit, which comes first on PYTHONPATH.
"""


def add_series_command(commands: Any) -> None:
    """Add the command to those of the parser."""
    parser = commands.add_parser(
        "series",
        help="make a branch, or patches, with one commit a step",
        description="Makes a branch, or patches, with one commit a step of the series.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "repository", type=Path, metavar="REPO", help="a clean git checkout of upstream"
    )
    parser.add_argument("--branch", metavar="NAME", help="make this branch")
    parser.add_argument(
        "--patches", type=Path, metavar="DIR", help="write files for `git am` there"
    )
    parser.add_argument(
        "--verify",
        metavar="COMMAND",
        help="run this after each commit, and stop at the first where it fails",
    )
    parser.set_defaults(run=_series)


def _series(options: argparse.Namespace) -> int:
    if options.branch is None and options.patches is None:
        raise NotMonty("name a --branch to make, or a folder for --patches")
    commits = make_branch(
        options.repository,
        options.branch,
        options.patches,
        options.verify,
        progress=_print_commit,
    )
    if not commits:
        print(f"nothing to do: {options.repository} has every step of the series")
        return 0
    changed = sum(commit.changed for commit in commits)
    added = sum(commit.added for commit in commits)
    print(f"{changed} lines changed in existing files, {added} in new ones", end="")
    print(f", by {len(commits)} commits")
    if options.branch is not None:
        print(f"branch {options.branch} in {options.repository}")
    if options.patches is not None:
        print(f"patches in {options.patches}")
    return 0


def _print_commit(number: int, commit: Commit) -> None:
    print(f"[{number}/{len(SERIES)}] {commit.title}")
    size = f"{commit.changed:4} lines changed in {commit.changed_files} existing files"
    line = f"      {size}, {commit.added} in {commit.added_files} new ones"
    if commit.verified_s is not None:
        line += f"; verified in {commit.verified_s:.0f} s"
    print(line, flush=True)
