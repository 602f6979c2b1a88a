# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The upstream releases the fork is made from."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KNOWN_RELEASES", "PINNED", "Release"]


@dataclass(frozen=True)
class Release:
    """An upstream release and the sha256 of its wheel and of its sdist."""

    version: str
    sha256: str
    sdist_sha256: str

    @property
    def wheel_name(self) -> str:
        return f"tbp_monty-{self.version}-py3-none-any.whl"

    @property
    def sdist_name(self) -> str:
        return f"tbp_monty-{self.version}.tar.gz"


PINNED = Release(
    version="0.55.0",
    sha256="bed0d7cfc13a2dea1692bd09275f30a08ccae0374e4cace76b15c4e0cc838435",
    sdist_sha256="ba7d2c5c2b52d53b8b578224f8f1cfa1f57dc54b1bc05bb8cd344a2369ffeb0c",
)

KNOWN_RELEASES = {
    release.version: release
    for release in (
        PINNED,
        Release(
            version="0.54.0",
            sha256="720e906b276a2ba6115fb1e1260629cac78bf2e6dfbf1f95cf505ec267c3d3e7",
            sdist_sha256=(
                "76040ff19c620a55eedb7331cc159ad37e5b98486f0724e6c1af66b7f542e4eb"
            ),
        ),
    )
}
"""Releases that every step of the series is tested on."""
