# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Gates: `ruff check` and `ruff format --check`, with the checkout's configuration."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Sequence

from ..failures import GateUnavailable
from .finding import Finding
from .tools import Tools

__all__ = ["findings"]

_CHECK = re.compile(r"^(?P<file>[^:\n]+):(?P<text>\d+:.*)$", re.MULTILINE)
_FORMAT = re.compile(r"^(?P<text>Would reformat): (?P<file>.*)$", re.MULTILINE)


def findings(tools: Tools, checkout: Path, files: Sequence[str]) -> list[Finding]:
    """Run both on files.

    Args:
        tools: Where ruff is.
        checkout: The checkout.
        files: Python files, as paths below it.

    Returns:
        What ruff finds.
    """
    return [
        *_run(tools, checkout, files, ["check", "--output-format=concise"], _CHECK),
        *_run(tools, checkout, files, ["format", "--check"], _FORMAT),
    ]


def _run(
    tools: Tools,
    checkout: Path,
    files: Sequence[str],
    command: list[str],
    pattern: re.Pattern,
) -> list[Finding]:
    options = ["--no-cache", "--force-exclude", "--config", "pyproject.toml"]
    done = subprocess.run(
        [tools.ruff, *command, *options, "--", *files],
        cwd=checkout,
        capture_output=True,
        text=True,
    )
    gate = f"ruff {command[0]}"
    found = [
        Finding(gate, match["file"], match["text"].strip())
        for match in pattern.finditer(done.stdout)
    ]
    if done.returncode and not found:
        raise GateUnavailable(f"{gate} could not run:\n{done.stderr or done.stdout}")
    return found
