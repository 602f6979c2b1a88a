# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Models as arrays and JSON, in the format of recordings, without pickles."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from ..ending import CouldNotRun, one_line
from ..recording.codec import Arrays, encode
from ..recording.file import MANIFEST, FileKind, Recording, RecordingWriter

__all__ = [
    "MODEL",
    "NAME",
    "NotConvertible",
    "find_converted",
    "read_converted",
    "write_converted",
]

MODEL = FileKind("monty-model", 1, "converted model", "convert the model again")
NAME = "model.zip"
"""The name of a converted model in a folder that stands for its model."""


class NotConvertible(CouldNotRun):
    """A model cannot be written without pickles."""


def write_converted(path: Path, state: Any) -> None:
    """Writes a model.

    Args:
        path: The file; it appears when it is complete.
        state: The state dict of a Monty.

    Raises:
        NotConvertible: If the model holds something that is neither an array nor known
            to the codec.
    """
    arrays = Arrays()
    try:
        event = encode({"event": "model", "state": state}, arrays, "the model")
    except Exception as error:
        # Objects of a damaged model may lack what their methods need.
        raise NotConvertible(
            f"the model has no other form: {one_line(error)}"
        ) from error
    with RecordingWriter(path, {}, MODEL) as writer:
        writer.add(event, arrays)


def read_converted(path: Path) -> Any:
    """Returns the state dict that `write_converted` wrote.

    Raises:
        UnreadableRecording: If the file is something else, or damaged.
    """
    with Recording(path, MODEL) as file:
        states = [e["state"] for e in file.events() if e["event"] == "model"]
        if len(states) != 1 or not file.complete:
            raise file.incomplete()
        return file.decode(states[0])


def find_converted(path: Path) -> Path | None:
    """Returns the converted model that a path means, if it means one.

    Args:
        path: The file, or `model.pt` below the file or its folder: upstream appends
            that to paths that do not name it.
    """
    if path.is_file():
        return path if _is_converted(path) else None
    for other in (path.parent, path.with_name(NAME)):
        if other.is_file():
            return other
    return None


def _is_converted(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as file:
            return MANIFEST in file.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False
