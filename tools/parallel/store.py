# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Keeps the results of episodes on disk until all are there, and whose they are.

A folder per episode, which appears when it is complete. They are what a run that was
ended can go on from; all other files are made from them. A file beside them says what
was run. It stays, so that no other run takes the results for its own.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from ..guard import Failed
from ..locking import locked
from ..temporary import temporary_folder, write_whole
from .episodes import EVAL, TRAIN

__all__ = [
    "IDENTITY",
    "LOG",
    "RUN_NAME",
    "Store",
    "check_resumed",
    "is_finished",
    "opened_store",
]

NAME = ".episodes"
IDENTITY = "parallel_run.json"
"""Says what was run."""

RUN_NAME = "experiment.config.logging.run_name"
"""The setting that names the folder of a run."""

LOG = "parallel_log.txt"
"""Upstream's record of how long everything took, written last."""


class Store:
    """The results of a run that has not finished."""

    def __init__(self, results: Path) -> None:
        """Makes a store.

        Args:
            results: The folder of the run's results.
        """
        self._results = results
        self.folder = results / NAME

    def is_empty(self) -> bool:
        return not any(any(self.folder.glob(f"{mode}/*")) for mode in (TRAIN, EVAL))

    def claim(self, run: Mapping[str, Any]) -> None:
        """Makes the folder that of a run, which has not finished."""
        # In this order: the log must never be beside the identity of another run.
        (self._results / LOG).unlink(missing_ok=True)
        write_whole(self._results / IDENTITY, json.dumps(run, indent=2) + "\n")

    def begin(self, mode: str) -> bool:
        """Begins a phase; returns whether it is new."""
        folder = self.folder / mode
        fresh = not folder.exists()
        folder.mkdir(exist_ok=True)
        return fresh

    def of(self, mode: str, name: str) -> Path:
        """Returns the folder of an episode; it exists if the episode has finished."""
        return self.folder / mode / name.replace("/", "_")

    def keep(self, mode: str, name: str, files: Mapping[str, bytes]) -> None:
        """Writes the files of an episode, all or none."""
        with temporary_folder(self.folder) as temporary:
            written = temporary / "episode"
            written.mkdir()
            for relative, content in files.items():
                file = written / relative
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            written.rename(self.of(mode, name))

    def finish(self, log: str) -> None:
        """Notes that all results are there, and removes those of episodes.

        Args:
            log: What to write as `LOG`. It is noted beside the identity too: another
                runner may write its results and its log into this folder later.
        """
        noted = {**(_identity(self._results) or {}), LOG: log}
        write_whole(self._results / IDENTITY, json.dumps(noted, indent=2) + "\n")
        write_whole(self._results / LOG, log)
        shutil.rmtree(self.folder)


@contextlib.contextmanager
def opened_store(
    results: Path, run: Mapping[str, Any], *, resume: bool
) -> Iterator[Store]:
    """Opens the store of a run, for one process at a time.

    Args:
        results: The folder of the run's results.
        run: What is run.
        resume: Whether to go on with what is there.

    Yields:
        The store.

    Raises:
        Failed: If there is one that must not be touched.
    """

    def in_use() -> NoReturn:
        raise Failed(f"another process is running into {results}")

    store = Store(results)
    with locked(store.folder / ".lock", on_wait=in_use):
        if resume:
            check_resumed(results, run)
        elif not store.is_empty():
            raise Failed(
                f"{results} holds episodes of a run that did not finish: --resume "
                f"goes on with it; remove {store.folder} to start again"
            )
        yield store


def is_finished(results: Path) -> bool:
    """Returns whether a folder holds all results of the run that it names."""
    log = results / LOG
    if not log.exists():
        return False
    noted = (_identity(results) or {}).get(LOG)
    return noted == log.read_text("utf-8", errors="replace")


def check_resumed(results: Path, run: Mapping[str, Any]) -> None:
    """Checks that the results in a folder are those of a run, if there are any.

    Args:
        results: The folder.
        run: What is run.

    Raises:
        Failed: If they are of another run, or nothing says of which one.
    """
    is_unfinished = not Store(results).is_empty()
    if not is_unfinished and not (results / LOG).exists():
        return
    instead = (
        f"remove {results / NAME} to start again"
        if is_unfinished
        else "leave --resume out to run anew"
    )
    instead += f", or run into another folder with {RUN_NAME}=NAME"
    before = _identity(results) if is_unfinished or is_finished(results) else None
    if before is None:
        raise Failed(
            f"{results} holds results, but no {IDENTITY} that says of which run they "
            f"are, so --resume cannot go on with it: {instead}"
        )
    different = [
        f"{key} {before.get(key)!r}, not {now!r}"
        for key, now in run.items()
        if before.get(key) != now
    ]
    if different:
        raise Failed(
            f"{results} holds another run, which --resume cannot go on with. It has "
            f"{'; '.join(different)}: run it as before, {instead}"
        )


def _identity(results: Path) -> Mapping[str, Any] | None:
    try:
        found = json.loads((results / IDENTITY).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
