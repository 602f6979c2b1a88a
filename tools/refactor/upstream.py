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
from pathlib import Path

from ..locking import locked
from .failures import UpstreamUnavailable
from .layout import build_folder
from .pin import PINNED, Release
from .transaction import whole_folder
from .tree import Tree

__all__ = ["obtain", "obtain_sdist"]


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
    name, sha256 = release.wheel_name, release.sha256
    return Tree.at(_obtain(release, name, sha256, release.version, cache))


def obtain_sdist(release: Release = PINNED, cache: Path | None = None) -> Tree:
    """Return an unpacked, pristine sdist, which has upstream's `pyproject.toml`.

    Args:
        release: The release to obtain.
        cache: Where to keep it. Defaults to the build folder.

    Returns:
        The release as a tree with a `src` folder.
    """
    name, sha256 = release.sdist_name, release.sdist_sha256
    folder = _obtain(release, name, sha256, f"{release.version}-sdist", cache)
    return Tree.at(folder / name.removesuffix(".tar.gz"))


def _obtain(
    release: Release, name: str, sha256: str, unpacked_name: str, cache: Path | None
) -> Path:
    cache = cache or build_folder() / "upstream"
    archive = cache / name
    unpacked = cache / unpacked_name
    with locked(cache / ".lock"):
        if not archive.exists():
            _download(release, archive)
        _check(archive, release, sha256)
        if not unpacked.exists():
            _unpack(archive, unpacked)
    return unpacked


def _download(release: Release, archive: Path) -> None:
    cache = archive.parent
    kind = "--only-binary" if archive.suffix == ".whl" else "--no-binary"
    # Into a separate folder, so that an interrupted download leaves nothing that looks
    # like a release.
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet"]
        command += ["--no-deps", kind, "tbp.monty", "--dest", folder]
        command += [f"tbp.monty=={release.version}"]
        # pip in its own build environment inherits the settings of the outer pip,
        # which are not meant for this download.
        env = {k: v for k, v in os.environ.items() if k != "PIP_REQUIRE_HASHES"}
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        downloaded = Path(folder) / archive.name
        if done.returncode or not downloaded.exists():
            reason = done.stderr.strip() or f"pip saved no {archive.name}"
            raise UpstreamUnavailable(
                f"pip could not fetch tbp.monty {release.version}:\n{reason}\n"
                f"Put {archive.name} into {cache}, or name a copy of upstream "
                "with --upstream PATH."
            )
        downloaded.replace(archive)


def _check(archive: Path, release: Release, sha256: str) -> None:
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != sha256:
        raise UpstreamUnavailable(
            f"{archive} is not the pinned tbp.monty {release.version}:\n"
            f"  expected sha256 {sha256}\n"
            f"  found    sha256 {found}\n"
            "Delete it to fetch it again."
        )


def _unpack(archive: Path, target: Path) -> None:
    kind = "zip" if archive.suffix == ".whl" else "gztar"
    with whole_folder(target) as fresh:
        shutil.unpack_archive(archive, fresh, kind)
