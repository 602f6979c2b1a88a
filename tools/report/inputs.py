# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads what a page is to be made of: profile folders, and JSON files of commands."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ..guard import Failed
from ..profile.schema import Profile, read_profile

__all__ = ["FORMATS", "Input", "read_input"]

FORMATS = ("monty-bench", "monty-compare", "monty-parity")
VERSION = 1


@dataclass(frozen=True)
class Input:
    """The JSON file of a command.

    Attributes:
        path: The file.
        content: What it holds; `format` says what that is.
    """

    path: Path
    content: dict[str, Any]


def read_input(path: Path) -> Profile | Input:
    """Return what a profile folder or a JSON file holds.

    Raises:
        Failed: If it is neither.
    """
    if path.is_dir():
        return read_profile(path)
    try:
        content = json.loads(path.read_text("utf-8"), parse_constant=_refuse)
        _check(content)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise Failed(f"{path}: cannot be shown: {reason}") from error
    return Input(path, content)


def _check(content: Any) -> None:
    found = content.get("format") if isinstance(content, dict) else None
    if found == "monty-profile":
        raise ValueError("a profile is a folder: give the folder, not a file of it")
    if found not in FORMATS:
        raise ValueError(f"its 'format' is {found!r}, and not {', '.join(FORMATS)}")
    version = content.get("format_version")
    if version != VERSION:
        raise ValueError(f"format version {version!r}; this release reads {VERSION}")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number that can be drawn")
