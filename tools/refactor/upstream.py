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
import tarfile
import zipfile
from pathlib import Path

from ..locking import locked
from ..temporary import temporary_folder
from .failures import UpstreamUnavailable
from .layout import build_folder
from .pin import PINNED, Release
from .transaction import whole_folder
from .tree import Tree

__all__ = ["fetched", "obtain", "obtain_sdist"]


def fetched(version: str, cache: Path | None = None) -> Release:
    """Download a release that is not pinned yet, and return what would pin it.

    Args:
        version: The version.
        cache: Where to keep it. Defaults to the build folder.

    Raises:
        UpstreamUnavailable: If pip cannot fetch it.
    """
    cache = cache or build_folder() / "upstream"
    release = Release(version, sha256="", sdist_sha256="")
    archives = [cache / release.wheel_name, cache / release.sdist_name]
    with locked(cache / ".lock"):
        for archive in archives:
            if not archive.exists():
                _download(release, archive)
    sums = [hashlib.sha256(one.read_bytes()).hexdigest() for one in archives]
    return Release(version, *sums)


def obtain(release: Release = PINNED, cache: Path | None = None) -> Tree:
    """Return an unpacked, pristine release.

    The wheel is downloaded once, and unpacked beside it. Every time, the wheel is
    checked against its pinned sha256, and the unpacked files against the wheel.

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
        changed = _changed(archive, unpacked)
        if changed:
            if unpacked.exists():
                print(
                    f"unpacking {archive.name} again: below {unpacked}, "
                    f"{', '.join(changed[:3])} are not as in it",
                    file=sys.stderr,
                )
            _unpack(archive, unpacked)
    return unpacked


def _download(release: Release, archive: Path) -> None:
    cache = archive.parent
    kind = "--only-binary" if archive.suffix == ".whl" else "--no-binary"
    # Into a separate folder, so that an interrupted download leaves nothing that looks
    # like a release.
    with temporary_folder(cache) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet"]
        command += ["--no-deps", kind, "tbp.monty", "--dest", str(folder)]
        command += [f"tbp.monty=={release.version}"]
        # pip in its own build environment inherits the settings of the outer pip,
        # which are not meant for this download.
        env = {k: v for k, v in os.environ.items() if k != "PIP_REQUIRE_HASHES"}
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        downloaded = folder / archive.name
        if done.returncode or not downloaded.exists():
            said = done.stderr.strip()
            reason = said.splitlines()[-1] if said else f"it saved no {archive.name}"
            raise UpstreamUnavailable(
                f"pip could not fetch tbp.monty {release.version} ({reason}): put "
                f"{archive.name} into {cache}"
            ) from UpstreamUnavailable(said)
        downloaded.replace(archive)


def _check(archive: Path, release: Release, sha256: str) -> None:
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != sha256:
        raise UpstreamUnavailable(
            f"{archive} is not the pinned tbp.monty {release.version}: expected sha256 "
            f"{sha256}, found {found}; delete it to fetch it again"
        )


def _changed(archive: Path, unpacked: Path) -> list[str]:
    """Return the files that are not as in the archive, missing and added included."""
    found = {
        path.relative_to(unpacked).as_posix(): path.read_bytes()
        for path in unpacked.rglob("*")
        # Running upstream leaves its bytecode.
        if path.is_file() and "__pycache__" not in path.parts
    }
    expected = _contents(archive)
    files = sorted({*found, *expected})
    return [file for file in files if found.get(file) != expected.get(file)]


def _contents(archive: Path) -> dict[str, bytes]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            files = [one.filename for one in wheel.infolist() if not one.is_dir()]
            return {file: wheel.read(file) for file in files}
    with tarfile.open(archive) as sdist:
        members = {one.name: sdist.extractfile(one) for one in sdist if one.isfile()}
        return {file: content.read() for file, content in members.items() if content}


def _unpack(archive: Path, target: Path) -> None:
    kind = "zip" if archive.suffix == ".whl" else "gztar"
    with whole_folder(target, replace=True) as fresh:
        shutil.unpack_archive(archive, fresh, kind)
