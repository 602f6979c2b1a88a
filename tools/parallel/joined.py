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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from ..temporary import whole_file

__all__ = ["join", "join_profiles", "set_aside"]

DETAILED = "detailed_run_stats"
APPENDED = (f"{DETAILED}.json", "log.txt")


def set_aside(results: Path, mode: str) -> None:
    """Gives the files of an earlier run another name, as upstream does.

    Args:
        results: The folder of the run's results.
        mode: The phase.
    """
    for name in (f"{mode}_stats.csv", DETAILED, f"{DETAILED}.json"):
        path = results / name
        if path.exists():
            old = path.with_name(f"{path.stem}_old{path.suffix}")
            _remove(old)
            path.rename(old)


def join(results: Path, mode: str, episodes: Sequence[Path]) -> None:
    """Writes the files of one phase of a run anew.

    Args:
        results: The folder of the run's results.
        mode: The phase.
        episodes: The folders of its episodes that have finished, in order.
    """
    table = f"{mode}_stats.csv"
    for name in (table, DETAILED, *APPENDED):
        _remove(results / name)
    _join_tables([one / table for one in episodes], results / table)
    for name in APPENDED:
        parts = [one / name for one in episodes if (one / name).exists()]
        if parts:
            with whole_file(results / name) as file, file.open("wb") as out:
                for part in parts:
                    with part.open("rb") as read:
                        shutil.copyfileobj(read, out)
    for part in (file for one in episodes for file in (one / DETAILED).glob("*.json")):
        (results / DETAILED).mkdir(exist_ok=True)
        shutil.copy(part, results / DETAILED / part.name)


def join_profiles(results: Path, mode: str, episodes: Iterable[Path]) -> None:
    """Joins the profiles of all episodes."""
    # Upstream's names: that of the phase is the name of the experiment's method.
    method = "evaluate" if mode == "eval" else mode
    folders = [episode / "profile" for episode in episodes]
    for pattern, name in (
        ("*episode*.csv", f"profile-{method}_episodes.csv"),
        ("profile-setup_experiment.csv", "profile-setup_experiment.csv"),
        (f"profile-{method}.csv", f"profile-{method}.csv"),
    ):
        _join_tables(_in_order(folders, pattern), results / name)


def _join_tables(parts: Iterable[Path], target: Path) -> None:
    tables = [pd.read_csv(part) for part in parts if part.exists()]
    if tables:
        with whole_file(target) as file:
            pd.concat(tables).to_csv(file, index=False)


def _in_order(folders: Iterable[Path], pattern: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(folder.glob(pattern), key=_numbers)


def _numbers(file: Path) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", file.name)]


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
