# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs all gates on a commit."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

from ..failures import NotMonty
from ..layout import build_folder
from ..tree import Tree
from . import ruff, syntax
from .finding import Finding
from .mypy import Mypy
from .tools import Tools, obtain_tools

__all__ = ["Gates"]


class Gates:
    """Upstream's gates, with the configuration in a checkout's `pyproject.toml`."""

    def __init__(self, base: Path) -> None:
        """Obtain the tools, and see what mypy finds before the series.

        Args:
            base: The checkout before the series.

        Raises:
            NotMonty: If the checkout has no configuration.
        """
        if not (base / "pyproject.toml").is_file():
            raise NotMonty(
                f"{base} has no pyproject.toml, so upstream's gates cannot run: name a "
                "git checkout of upstream"
            )
        self._tools: Tools = obtain_tools(base)
        print("mypy reads the checkout before the series; the first time takes minutes")
        # mypy drops its cache when its configuration changes: one cache per release.
        cache = build_folder() / "gates" / f"mypy-cache-{Tree.at(base).version}"
        self._mypy = Mypy(self._tools, base, cache)

    def findings(self, checkout: Path, files: Sequence[str]) -> list[Finding]:
        """Run the gates.

        Args:
            checkout: The checkout at a commit.
            files: The files that the commit changes or adds, as paths below it.

        Returns:
            What they find; nothing if the commit passes.
        """
        python = [file for file in files if file.endswith(".py")]
        if not python:
            return []
        return [
            *syntax.findings(checkout, python),
            *ruff.findings(self._tools, checkout, python),
            *self._mypy.new_findings(checkout),
        ]
