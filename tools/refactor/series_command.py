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
from typing import Any, Sequence

from .branch import Commit, make_branch
from .failures import NotMonty
from .part_option import add_part_option, in_words
from .release_note import note_release
from .series import PARTS, steps_through
from .tree import Tree

__all__ = ["add_series_command"]

_PROPOSED = "core"
"""The last part that would be proposed to upstream."""

_EPILOG = """\
examples:
  monty-refactor series ~/tbp.monty --branch two-phase
  monty-refactor series ~/tbp.monty --part core --patches patches
  monty-refactor series ~/tbp.monty --branch two-phase --gates
  monty-refactor series ~/tbp.monty --branch two-phase --verify 'pytest tests/unit'

The gates are ruff and mypy in upstream's versions, with the configuration of the
checkout, and Python 3.8 syntax. mypy must find no error that it does not find before
the series.

The checkout, its index and its other branches are not touched. The command of --verify
runs in a temporary checkout of each commit, which comes first on PYTHONPATH.
"""


def add_series_command(commands: Any) -> None:
    """Add the command to those of the parser."""
    parser = commands.add_parser(
        "series",
        help="make a branch, or patches, with one commit per step, by default of core",
        description="Makes a branch, or patches, with one commit per step.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "repository", type=Path, metavar="REPO", help="a clean git checkout of upstream"
    )
    add_part_option(parser, default="core")
    parser.add_argument("--branch", metavar="NAME", help="make this branch")
    parser.add_argument(
        "--patches", type=Path, metavar="DIR", help="write files for `git am` there"
    )
    parser.add_argument(
        "--gates",
        action="store_true",
        help=f"run upstream's ruff and mypy after each commit of {in_words(_PROPOSED)}",
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
    note_release(Tree.at(options.repository))
    steps = steps_through(options.part)

    def progress(number: int, commit: Commit) -> None:
        print(f"[{number}/{len(steps)}] {commit.title}")
        print(f"      {_size(commit)}", flush=True)

    commits = make_branch(
        options.repository,
        options.branch,
        options.patches,
        options.verify,
        steps,
        gated=steps_through(_PROPOSED) if options.gates else (),
        progress=progress,
    )
    if not commits:
        part = in_words(options.part)
        print(f"nothing to do: {options.repository} has every step of {part}")
        return 0
    for part, own_steps in PARTS.items():
        titles = {step.title for step in own_steps}
        _print_part(part, [commit for commit in commits if commit.title in titles])
    if options.branch is not None:
        print(f"branch {options.branch} in {options.repository}")
    if options.patches is not None:
        print(f"patches in {options.patches}")
    return 0


def _size(commit: Commit) -> str:
    size = f"{commit.changed:4} lines changed in {commit.changed_files} existing files"
    size += f", {commit.added} in {commit.added_files} new ones"
    size += f", {commit.tests} of tests"
    if commit.verified_s is not None:
        size += f"; verified in {commit.verified_s:.0f} s"
    return size


def _print_part(part: str, commits: Sequence[Commit]) -> None:
    if not commits:
        return
    changed = sum(commit.changed for commit in commits)
    added = sum(commit.added for commit in commits)
    tests = sum(commit.tests for commit in commits)
    print(
        f"{part}: {changed} lines changed in existing files, {added} in new ones, "
        f"{tests} of tests, by {len(commits)} commits"
    )
