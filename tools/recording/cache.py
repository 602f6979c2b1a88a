# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Keeps recordings of upstream, so that a run is rendered once.

The key of a recording covers everything that can change its content: see `cache_key`.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..locking import locked
from ..workers.sides import Run, Side
from .file import FORMAT_VERSION, Recording

__all__ = ["SUFFIX", "cache_key", "cached_recording"]

SUFFIX = ".rec.zip"
VARIABLES = ("MONTY_DATA", "MONTY_MODELS", "MUJOCO_GL", "PYOPENGL_PLATFORM")
"""Variables that name data and renderers: no two renderers agree on every pixel."""

TOOLS = Path(__file__).parents[1]

HARNESS = (
    *(TOOLS / name for name in ("recording", "workers", "models")),
    *sorted(TOOLS.glob("*.py")),
)
"""What a recording process may import of these tools; it imports all of `recording`."""


def cache_key(side: Side, run: Run, description: Mapping[str, Any]) -> str:
    """Returns the name under which a recording is kept.

    Args:
        side: The side that is recorded.
        run: What it runs.
        description: What `sides.describe` says about it.
    """
    parts = {
        "format": FORMAT_VERSION,
        "experiment": run.experiment,
        "overrides": run.overrides,
        "limits": [run.steps, run.episodes],
        "shadows": run.shadows,
        "description": description,
        "files": _files(run, description.get("model", "")),
        "release": _sources(side.import_root / "tbp" / "monty"),
        "variables": {name: side.env.get(name) for name in VARIABLES},
        "harness": [_sources(one) for one in HARNESS],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def cached_recording(
    cache: Path,
    key: str,
    record: Callable[[Path], None],
    on_wait: Callable[[], None] = lambda: None,
) -> Path:
    """Returns a complete recording; makes it if there is none, or if it is damaged.

    Args:
        cache: The folder of recordings.
        key: The name of the recording.
        record: Makes the recording in the file it is given.
        on_wait: Called when another process is making the same recording.

    Returns:
        The file of the recording.
    """
    path = cache / f"{key}{SUFFIX}"
    with locked(cache / f"{key}.lock", on_wait):
        if not _is_whole(path):
            try:
                record(path)
            except BaseException:
                # What an interrupt leaves is incomplete.
                path.unlink(missing_ok=True)
                raise
    return path


def _is_whole(path: Path) -> bool:
    """Returns whether a recording is complete, and every byte as it was written."""
    if not path.exists():
        return False
    try:
        with Recording(path) as recording, zipfile.ZipFile(path) as archive:
            if recording.complete and archive.testzip() is None:
                return True
    except Exception as error:  # noqa: BLE001 whatever it is, the file is replaced
        reason = f" ({error})"
    else:
        reason = ""
    print(f"recording again, because {path} is damaged{reason}", file=sys.stderr)
    return False


def _files(run: Run, model: str) -> dict[str, str]:
    """Returns the digests of the files that the run reads by name."""
    values = [override.partition("=")[2].strip("'\"") for override in run.overrides]
    named = [Path(value).expanduser() for value in [*values, model] if value]
    # A model may be named by its folder.
    named += [path / name for path in named for name in ("model.pt", "model.zip")]
    return {str(path): _sha256(path) for path in named if path.is_file()}


def _sources(path: Path) -> dict[str, str]:
    """Returns the digests of a file of Python, or of those below a folder."""
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    return {str(file.relative_to(path.parent)): _sha256(file) for file in files}


def _sha256(path: Path) -> str:
    sha = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            sha.update(block)
    return sha.hexdigest()
