# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes the fork's import root: refactored upstream and the overlay.

    build/fork/
        tbp/monty/       upstream's files, as the series changes them, and links to
                         the overlay's files, so that editing one needs no rebuild
        hydra_plugins/   upstream's
        monty_tools      a link to tools/

The folder is made again only when something it is made from has changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Callable, Iterator, Sequence

from ..locking import locked
from .codemods.set_version import SetVersion
from .failures import NotMonty, OverlayConflict
from .layout import build_folder, checkout
from .plan import make_plan
from .series import SERIES
from .step import Rewrite, Step
from .transaction import whole_folder
from .tree import Tree
from .upstream import obtain

__all__ = ["FORK_REVISION", "fork_folder", "fork_version", "make_fork"]

FORK_REVISION = 31
"""N of the local version `+backends.N`; raised with each release of the fork."""

_STAMP = ".made-from"
_NOT_SOURCE = shutil.ignore_patterns("__pycache__", "*.dist-info", "*.egg-info", ".git")


def fork_folder() -> Path:
    return build_folder() / "fork"


def fork_version(upstream: Tree) -> str:
    return f"{upstream.version}+backends.{FORK_REVISION}"


def make_fork(
    upstream: Tree | None = None,
    target: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
    without: Step | None = None,
) -> Path:
    """Make the fork, unless it exists and is up to date.

    Args:
        upstream: What to make it from. Defaults to the pinned release.
        target: The folder to make. Defaults to `build/fork`.
        say: Called with progress messages.
        without: A step to leave out. Its overlay files are there, but nothing of
            upstream uses them.

    Returns:
        The folder to import the fork from.

    Raises:
        NotMonty: If this is not run from a checkout of the project.
    """
    root = checkout()
    if root is None:
        raise NotMonty("the fork is made from a checkout of the project")
    upstream = upstream or obtain()
    target = target or fork_folder()
    with locked(target.parent / f".{target.name}.lock"):
        made_from = _fingerprint(root, upstream, without)
        stamp = target / _STAMP
        if stamp.is_file() and stamp.read_text() == made_from:
            say(f"{target} is up to date")
            return target
        say(f"making {target} from tbp.monty {upstream.version}")
        series = [step for step in SERIES if step is not without]
        _make(root, upstream, target, series, made_from)
    return target


def _make(
    root: Path, upstream: Tree, target: Path, series: Sequence[Step], made_from: str
) -> None:
    version = Step(
        title="chore: the fork's version",
        part="fork",
        body="",
        rewrites=(Rewrite("__init__.py", SetVersion(fork_version(upstream))),),
    )
    plan = make_plan(upstream, (*series, version))
    with whole_folder(target, replace=True) as fresh:
        for package in ("tbp/monty", "hydra_plugins"):
            source = upstream.import_root / package
            # A folder that holds tbp/monty need not hold the Hydra plugin.
            if source.is_dir():
                shutil.copytree(source, fresh / package, ignore=_NOT_SOURCE)
        for file, text in plan.rewritten.items():
            (fresh / file).write_bytes(text.encode("utf-8"))
        # Links are relative to their final place, so that the checkout can move.
        _link_overlay(root / "src/tbp/monty", fresh / "tbp/monty", target / "tbp/monty")
        _link(root / "tools", fresh / "monty_tools", target / "monty_tools")
        (fresh / _STAMP).write_text(made_from)


def _link_overlay(source: Path, made: Path, final: Path) -> None:
    for entry in sorted(source.iterdir()):
        if entry.name == "__pycache__":
            continue
        there = made / entry.name
        if entry.is_dir() and there.is_dir():
            _link_overlay(entry, there, final / entry.name)
        elif there.exists():
            raise OverlayConflict(f"{entry} stands where upstream has a file")
        else:
            _link(entry, there, final / entry.name)


def _link(source: Path, made: Path, final: Path) -> None:
    made.symlink_to(os.path.relpath(source, final.parent))


def _fingerprint(root: Path, upstream: Tree, without: Step | None) -> str:
    digest = hashlib.sha256(without.title.encode() if without else b"")
    for path in _ingredients(root, upstream):
        digest.update(f"{path.name}\0".encode())
        digest.update(path.read_bytes())
    # Only the names of overlay files count: they are linked, not copied.
    for path in sorted((root / "src").rglob("*.py")):
        digest.update(f"{path.relative_to(root)}\0".encode())
    return digest.hexdigest()


def _ingredients(root: Path, upstream: Tree) -> Iterator[Path]:
    yield from sorted((root / "tools/refactor").rglob("*.py"))
    for package in ("tbp/monty", "hydra_plugins"):
        for path in sorted((upstream.import_root / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
