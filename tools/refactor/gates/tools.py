# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Installs the tools of the gates, separate from everything else."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ...locking import locked
from ..failures import GateUnavailable
from ..layout import build_folder
from ..transaction import whole_folder

__all__ = ["Tools", "obtain_tools"]

_REQUIREMENTS = ("ruff==0.14.2", "mypy==1.11.2")
"""The versions that upstream pins for the oldest Python that it supports."""


@dataclass(frozen=True)
class Tools:
    """The folder in which the tools are installed."""

    folder: Path

    @property
    def ruff(self) -> Path:
        return self.folder / "bin" / "ruff"

    def environment(self) -> dict[str, str]:
        """Return the environment for `python -m mypy`.

        Only this folder is put on Python's path: mypy would treat other folders there
        as part of the checkout.
        """
        others = ("PYTHONPATH", "MYPYPATH", "MYPY_CACHE_DIR")
        inherited = {k: v for k, v in os.environ.items() if k not in others}
        return {**inherited, "PYTHONPATH": str(self.folder)}


def obtain_tools() -> Tools:
    """Return the tools; the first time, install them below the build folder.

    Raises:
        GateUnavailable: If pip cannot install them.
    """
    gates = build_folder() / "gates"
    # A tool may be compiled for one version of Python.
    name = "-".join([*_REQUIREMENTS, sys.implementation.cache_tag])
    folder = gates / name.replace("==", "-")
    with locked(gates / ".lock"):
        if not folder.exists():
            print(f"installing {' and '.join(_REQUIREMENTS)} in {folder}")
            _install(folder)
    return Tools(folder)


def _install(folder: Path) -> None:
    with whole_folder(folder) as target:
        command = [sys.executable, "-m", "pip", "install", "--quiet"]
        command += ["--target", str(target), *_REQUIREMENTS]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise GateUnavailable(
                f"pip could not install {', '.join(_REQUIREMENTS)}, which the gates "
                f"need:\n{done.stderr.strip()}"
            )
