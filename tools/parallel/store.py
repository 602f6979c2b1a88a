# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Keeps the results of episodes on disk until all are there.

A folder per episode, which appears when it is complete. They are what a run that was
ended can go on from; all other files are made from them.
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

__all__ = ["Store", "opened_store"]

NAME = ".episodes"
RUN = "run.json"


class Store:
    """The results of a run that has not finished."""

    def __init__(self, folder: Path) -> None:
        """Makes a store.

        Args:
            folder: Where its files are.
        """
        self.folder = folder

    def is_empty(self) -> bool:
        return not any(any(self.folder.glob(f"{mode}/*")) for mode in (TRAIN, EVAL))

    def begin(self, mode: str) -> bool:
        """Begins a phase; returns whether it is new."""
        folder = self.folder / mode
        fresh = not folder.exists()
        folder.mkdir(exist_ok=True)
        return fresh

    def has(self, mode: str, name: str) -> bool:
        return self.of(mode, name).is_dir()

    def of(self, mode: str, name: str) -> Path:
        """Returns the folder of an episode."""
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

    def remove(self) -> None:
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
    folder = results / NAME
    described = folder / RUN

    def in_use() -> NoReturn:
        raise Failed(f"another process is running into {results}")

    with locked(folder / ".lock", on_wait=in_use):
        store = Store(folder)
        if not store.is_empty():
            if not resume:
                raise Failed(
                    f"{results} holds episodes of a run that did not finish: --resume "
                    f"goes on with it; remove {folder} to start again"
                )
            _check_same(json.loads(described.read_text("utf-8")), run, results)
        else:
            write_whole(described, json.dumps(run, indent=2) + "\n")
        yield store


def _check_same(
    before: Mapping[str, Any], now: Mapping[str, Any], results: Path
) -> None:
    for key in now:
        if before.get(key) != now[key]:
            raise Failed(
                f"{results} holds a run with {key} {before.get(key)!r}, and this one "
                f"has {now[key]!r}: run it as before, or into another folder"
            )
