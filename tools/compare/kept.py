# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a run was, kept beside its results, so that it need not run again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..temporary import write_whole
from .metrics import BadResults

__all__ = ["Asked", "Kept", "finish", "kept", "start"]

FILE = "compare.json"
FORMAT = {"format": "monty-compare-run", "format_version": 1}


@dataclass(frozen=True)
class Asked:
    """A run that is asked for.

    Attributes:
        side: The name of what runs it.
        version: The version of its tbp.monty.
        experiment: The experiment.
        overrides: Hydra overrides.
        episodes: Which episodes to run; None for all.
        at_a_time: How many episodes run at a time.
        in_one_process: Whether each episode needs those before.
    """

    side: str
    version: str
    experiment: str
    overrides: tuple[str, ...]
    episodes: str | None
    at_a_time: int
    in_one_process: bool


@dataclass(frozen=True)
class Kept:
    """What is known of a run in a folder.

    Attributes:
        asked: What was asked for.
        machine: Where it ran.
        finished: Whether all of it is there.
        seconds: How long it took; None if it was interrupted on the way.
    """

    asked: Asked
    machine: Mapping[str, Any]
    finished: bool
    seconds: float | None


def start(folder: Path, asked: Asked, machine: Mapping[str, Any]) -> None:
    """Note which run a folder is for."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder, Kept(asked, machine, finished=False, seconds=None))


def finish(folder: Path, seconds: float | None) -> None:
    """Note that the run of a folder has finished."""
    found = kept(folder)
    assert found is not None
    _write(folder, Kept(found.asked, found.machine, finished=True, seconds=seconds))


def kept(folder: Path) -> Kept | None:
    """Return what is known of the run in a folder; None if it is not one of ours.

    Raises:
        BadResults: If the note of it is damaged.
    """
    path = folder / FILE
    if not path.exists():
        return None
    try:
        noted = json.loads(path.read_text("utf-8"))
        if any(noted[key] != value for key, value in FORMAT.items()):
            raise BadResults(f"{path} is not of this version of monty compare")
        return Kept(
            _asked(noted["asked"]),
            {str(key): value for key, value in noted["machine"].items()},
            bool(noted["finished"]),
            _seconds(noted["seconds"]),
        )
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadResults(f"{path} is damaged") from error


def _asked(noted: Mapping[str, Any]) -> Asked:
    asked = Asked(**{**noted, "overrides": tuple(noted["overrides"])})
    for text in (asked.side, asked.version, asked.experiment, *asked.overrides):
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is not a text")
    return asked


def _seconds(noted: Any) -> float | None:
    if noted is not None and not 0 <= noted < float("inf"):
        raise ValueError(f"{noted!r} is not a time")
    return noted


def _write(folder: Path, noted: Kept) -> None:
    write_whole(folder / FILE, json.dumps({**FORMAT, **asdict(noted)}, indent=1))
