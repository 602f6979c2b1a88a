# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Gate: the oldest Python that upstream supports can parse the files."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Sequence

from .finding import Finding

__all__ = ["findings"]

_GATE = "Python 3.8 syntax"
_OLDEST = (3, 8)


def findings(checkout: Path, files: Sequence[str]) -> list[Finding]:
    """Parse files as the oldest Python would.

    Args:
        checkout: The checkout.
        files: Python files, as paths below it.

    Returns:
        The syntax errors.
    """
    errors = {file: _error(checkout / file) for file in files}
    return [Finding(_GATE, file, error) for file, error in errors.items() if error]


def _error(path: Path) -> str | None:
    try:
        ast.parse(path.read_bytes(), feature_version=_OLDEST)
    except SyntaxError as error:
        return f"{error.lineno}: {error.msg}"
    return None
