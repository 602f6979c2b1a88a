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
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from ...locking import locked
from ..failures import GateUnavailable
from ..layout import build_folder
from ..transaction import whole_folder

__all__ = ["Tools", "obtain_tools", "required"]

_TOOLS = ("ruff", "mypy")
_DECLARED = r"""(?m)^[^#\n]*?['"](%s\s*(?:[<>=!~]=?[^;'"]*)?)(?:;[^\n]*)?['"]"""
"""A requirement in `pyproject.toml`; Python 3.10 has no parser for it."""


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


def obtain_tools(checkout: Path) -> Tools:
    """Return the tools; the first time, install them below the build folder.

    Args:
        checkout: The checkout, whose `pyproject.toml` says which versions it uses.

    Raises:
        GateUnavailable: If it does not, or pip cannot install them.
    """
    requirements = required(checkout)
    gates = build_folder() / "gates"
    # A tool may be compiled for one version of Python.
    name = "-".join([*requirements, sys.implementation.cache_tag])
    folder = gates / re.sub(r"[^\w.]+", "-", name)
    with locked(gates / ".lock"):
        if not folder.exists():
            print(f"installing {' and '.join(requirements)} in {folder}")
            _install(folder, requirements)
    return Tools(folder)


def required(checkout: Path) -> list[str]:
    """Return the tools with the versions that a checkout declares.

    Upstream pins versions for the oldest Python that it supports, which has the last
    word on a pull request, and beside them accepts any for newer ones. A pin counts.

    Args:
        checkout: The checkout.

    Raises:
        GateUnavailable: If it does not name a tool.
    """
    file = checkout / "pyproject.toml"
    text = file.read_text("utf-8")
    found = []
    for tool in _TOOLS:
        declared = [one.strip() for one in re.findall(_DECLARED % tool, text)]
        if not declared:
            raise GateUnavailable(
                f"{file} does not name {tool} among its dependencies, so it is not "
                f"known which version the gates need: add it, such as '{tool}==1.2.3'"
            )
        found.append(next((one for one in declared if "==" in one), declared[0]))
    return found


def _install(folder: Path, requirements: Sequence[str]) -> None:
    with whole_folder(folder) as target:
        command = [sys.executable, "-m", "pip", "install", "--quiet"]
        command += ["--target", str(target), *requirements]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise GateUnavailable(
                f"pip could not install {', '.join(requirements)}, which the gates "
                f"need:\n{done.stderr.strip()}"
            )
