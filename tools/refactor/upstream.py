# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Obtains pristine upstream: the pinned release through pip, or a folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from ..locking import locked
from .failures import UpstreamUnavailable
from .layout import build_folder
from .pin import PINNED, Release
from .tree import Tree

__all__ = ["obtain"]


def obtain(release: Release = PINNED, cache: Path | None = None) -> Tree:
    """Return an unpacked, pristine release.

    The wheel is downloaded once, checked against its pinned sha256 every time, and
    unpacked beside it.

    Args:
        release: The release to obtain.
        cache: Where to keep it. Defaults to the build folder.

    Returns:
        The release as a tree.

    Raises:
        UpstreamUnavailable: If pip cannot fetch it, or the wheel is not the pinned one.
    """
    cache = cache or build_folder() / "upstream"
    wheel = cache / release.wheel_name
    unpacked = cache / release.version
    with locked(cache / ".lock"):
        if not wheel.exists():
            _download(release, cache)
        _check(wheel, release)
        if not unpacked.exists():
            _unpack(wheel, unpacked)
    return Tree.at(unpacked)


def _download(release: Release, cache: Path) -> None:
    # Into a folder of its own, so that an interrupted download leaves nothing behind
    # that looks like a wheel.
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet"]
        command += ["--no-deps", "--only-binary", ":all:", "--dest", folder]
        command += [f"tbp.monty=={release.version}"]
        # pip in a build environment of its own inherits the outer pip's choices,
        # which are about that environment and not about this download.
        env = {k: v for k, v in os.environ.items() if k != "PIP_REQUIRE_HASHES"}
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        downloaded = Path(folder) / release.wheel_name
        if done.returncode or not downloaded.exists():
            reason = done.stderr.strip() or "pip saved no wheel"
            raise UpstreamUnavailable(
                f"pip could not fetch tbp.monty {release.version}:\n{reason}\n"
                f"Put {release.wheel_name} into {cache}, or name a copy of upstream "
                "with --upstream PATH."
            )
        downloaded.replace(cache / release.wheel_name)


def _check(wheel: Path, release: Release) -> None:
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != release.sha256:
        raise UpstreamUnavailable(
            f"{wheel} is not the pinned tbp.monty {release.version}:\n"
            f"  expected sha256 {release.sha256}\n"
            f"  found    sha256 {found}\n"
            "Delete it to fetch it again."
        )


def _unpack(wheel: Path, target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        fresh = Path(folder) / target.name
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(fresh)
        shutil.move(fresh, target)
