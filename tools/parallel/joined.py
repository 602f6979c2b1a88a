# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Joins the files of episodes into those of one run, as upstream's runner does."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ..temporary import whole_file

__all__ = ["Joined"]

DETAILED = "detailed_run_stats"
APPENDED = (f"{DETAILED}.json", "log.txt")


class Joined:
    """The files of one phase of a run.

    Everything in them comes from the episodes' folders, so that they can be made again.
    """

    def __init__(self, results: Path, mode: str, *, fresh: bool) -> None:
        """Starts with no episodes.

        Args:
            results: The folder of the run's results.
            mode: The phase.
            fresh: Whether files that are there are those of an earlier run, which get
                another name. Else they are removed.
        """
        self._results = results
        self._mode = mode
        self._table = f"{mode}_stats.csv"
        self._parts: list[Path] = []
        """The tables of the episodes that are in the table of the run."""
        self._dtypes: dict[str, Any] = {}
        """The columns of the table of the run, and what they hold."""
        for name in (self._table, DETAILED, *APPENDED):
            path = results / name
            if fresh and name != "log.txt":
                _set_aside(path)
            _remove(path)

    def add(self, episode: Path) -> None:
        """Adds an episode, the next one in order.

        Args:
            episode: The folder with its files.
        """
        table = episode / self._table
        if table.exists():
            self._add_rows(table)
        for name in APPENDED:
            part = episode / name
            if part.exists():
                with part.open("rb") as read, (self._results / name).open("ab") as out:
                    shutil.copyfileobj(read, out)
        for part in (episode / DETAILED).glob("*.json"):
            (self._results / DETAILED).mkdir(exist_ok=True)
            shutil.copy(part, self._results / DETAILED / part.name)

    def _add_rows(self, table: Path) -> None:
        """Adds the rows of an episode, as if all tables were joined at once."""
        rows = pd.read_csv(table)
        self._parts.append(table)
        if _fit(rows, self._dtypes):
            text = rows.astype(self._dtypes).to_csv(index=False, header=False)
            with (self._results / self._table).open("a", encoding="utf-8") as file:
                file.write(text)
            return
        # The rows before look different beside these: other columns, 1.0 for 1.
        joined = pd.concat([pd.read_csv(part) for part in self._parts])
        self._dtypes = dict(joined.dtypes)
        with whole_file(self._results / self._table) as file:
            joined.to_csv(file, index=False)

    def add_profiles(self, episodes: Iterable[Path]) -> None:
        """Joins the profiles of all episodes."""
        # Upstream's names: that of the phase is the name of the experiment's method.
        method = "evaluate" if self._mode == "eval" else self._mode
        folders = [episode / "profile" for episode in episodes]
        for pattern, name in (
            ("*episode*.csv", f"profile-{method}_episodes.csv"),
            ("profile-setup_experiment.csv", "profile-setup_experiment.csv"),
            (f"profile-{method}.csv", f"profile-{method}.csv"),
        ):
            tables = [pd.read_csv(file) for file in _in_order(folders, pattern)]
            if tables:
                with whole_file(self._results / name) as file:
                    pd.concat(tables).to_csv(file, index=False)


def _fit(rows: pd.DataFrame, dtypes: Mapping[str, Any]) -> bool:
    """Returns whether a table of these columns stays as it is with these rows below."""
    return list(rows.columns) == list(dtypes) and all(
        column in (found, "object") or (column, found) == ("float64", "int64")
        for column, found in zip(dtypes.values(), rows.dtypes, strict=True)
    )


def _in_order(folders: Iterable[Path], pattern: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(folder.glob(pattern), key=_numbers)


def _numbers(file: Path) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", file.name)]


def _set_aside(path: Path) -> None:
    """Gives a file or folder of an earlier run another name, as upstream does."""
    if path.exists():
        old = path.with_name(f"{path.stem}_old{path.suffix}")
        _remove(old)
        path.rename(old)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
