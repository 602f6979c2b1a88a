# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Gate: mypy finds no error that it does not find before the series."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from ..failures import GateUnavailable
from .finding import Finding
from .tools import Tools

__all__ = ["Mypy"]

_ERROR = re.compile(r"(?m)^(?P<file>[^:\n]+):(?P<line>\d+): error: (?P<text>.*)$")
_LINE_IN_TEXT = re.compile(r"\bon line \d+")
_CHECKED = ("src", "tests")


class Mypy:
    """Compares the errors of a commit with those of the commit before the series.

    Lines move, so errors are identified by file and text, and counted.
    """

    def __init__(self, tools: Tools, base: Path, cache: Path) -> None:
        """Find the errors that are there before the series.

        Args:
            tools: Where mypy is.
            base: The checkout before the series.
            cache: The folder of mypy's cache.
        """
        self._tools = tools
        self._cache = cache
        self._known = Counter(error for error, _ in self._errors(base))

    def new_findings(self, checkout: Path) -> list[Finding]:
        """Check the types of the whole checkout.

        A commit can break a file that it does not touch, so all files are checked.
        mypy reads those that did not change from its cache.

        Args:
            checkout: The checkout at a commit.

        Returns:
            The errors that are new.
        """
        known = self._known.copy()
        found = []
        for (file, text), line in self._errors(checkout):
            if known[file, text]:
                known[file, text] -= 1
            else:
                found.append(Finding("mypy", file, f"{line}: {text}"))
        return found

    def _errors(self, checkout: Path) -> list[tuple[tuple[str, str], str]]:
        """Return file, text and line of each error."""
        folders = [folder for folder in _CHECKED if (checkout / folder).is_dir()]
        options = ["--config-file=pyproject.toml", "--no-error-summary"]
        options += ["--no-color-output", "--no-pretty", "--hide-error-end"]
        options += [f"--cache-dir={self._cache}"]
        done = subprocess.run(
            [sys.executable, "-m", "mypy", *options, *folders],
            cwd=checkout,
            env=self._tools.environment(),
            capture_output=True,
            text=True,
        )
        # 1: there are errors; 2: mypy could not check all files.
        if done.returncode not in (0, 1):
            raise GateUnavailable(f"mypy could not run:\n{done.stdout}{done.stderr}")
        return [
            (
                (match["file"], _LINE_IN_TEXT.sub("on a line", match["text"])),
                match["line"],
            )
            for match in _ERROR.finditer(done.stdout)
        ]
