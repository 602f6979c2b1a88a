# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Edited copies of recordings and traces."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["edited"]

Edit = Callable[[dict[str, Any]], str | None]


def _unchanged(_: dict[str, Any]) -> None:
    pass


def edited(
    path: Path, copy: Path, event: Edit = _unchanged, manifest: Edit = _unchanged
) -> Path:
    """Copy a file, with an edit applied to every event and to the manifest.

    Args:
        path: The file.
        copy: The copy to write.
        event: Changes an event, or returns the text to write in its place.
        manifest: The same for the manifest.

    Returns:
        The copy.
    """

    def applied(edit: Edit, text: bytes) -> str:
        data = json.loads(text)
        return edit(data) or json.dumps(data)

    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w") as new:
        for info in old.infolist():
            content: bytes | str = old.read(info)
            if info.filename == "events.jsonl":
                lines = old.read(info).splitlines()
                content = "\n".join(applied(event, line) for line in lines)
            elif info.filename == "manifest.json":
                content = applied(manifest, old.read(info))
            new.writestr(info.filename, content, zipfile.ZIP_DEFLATED)
    return copy
