# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Writes the files of a profile. They are complete whenever nothing is being written.

So what was recorded is kept, however a run ends.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..guard import Failed, interrupts_held
from ..temporary import write_whole
from .schema import (
    EPISODES,
    FORMAT,
    FORMAT_VERSION,
    HOST,
    MEMORY,
    PHASES,
    STEPS,
    SUMMARY,
    TIMELINE,
)
from .spans import Span

__all__ = ["ProfileFolder", "new_folder"]

_OPENING, _CLOSING = '{"traceEvents":[', "]}\n"


def new_folder(path: Path) -> Path:
    """Makes a folder, or takes one that is empty.

    Raises:
        Failed: If there is something already.
    """
    if path.exists() and not path.is_dir():
        raise Failed(f"{path} is no folder: --profile needs a new or an empty one")
    if path.exists() and any(path.iterdir()):
        raise Failed(f"{path} is not empty: --profile needs a new or an empty folder")
    path.mkdir(parents=True, exist_ok=True)
    return path


class ProfileFolder:
    """The files of a profile, written while a run goes on.

    Attributes:
        nanoseconds: The own time of each phase, of the spans so far.
        calls: The number of spans of each phase.
    """

    def __init__(self, folder: Path, began: int) -> None:
        """Begins the files.

        Args:
            folder: Where.
            began: When the timeline begins, as spans tell the time.
        """
        self._folder = folder
        self._began = began
        self._timeline = _Timeline(folder / TIMELINE)
        self._lines = {
            name: (folder / name).open("w", encoding="utf-8")
            for name in (STEPS, MEMORY, EPISODES)
        }
        self._lms: Mapping[int, str] = {}
        self._places: dict[tuple[int, int | None], str] = {}
        self.nanoseconds: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()

    def name_host(self, monty: int, lms: Mapping[int, str]) -> None:
        """Names the rows of the host: that of Monty, and those of learning modules."""
        self.name_rows(HOST, "host", {monty: "Monty", **lms})
        self._lms = lms

    def name_rows(self, process: int, name: str, rows: Mapping[int, str]) -> None:
        """Names a process of the timeline and some of its rows."""
        named: list[tuple[str, int, dict[str, Any]]] = [
            ("process_name", 0, {"name": name})
        ]
        for row, text in rows.items():
            named.append(("thread_name", row, {"name": text}))
            named.append(("thread_sort_index", row, {"sort_index": row}))
        self._timeline.add(
            json.dumps(
                {"name": what, "ph": "M", "pid": process, "tid": row, "args": args}
            )
            for what, row, args in named
        )

    def add_spans(self, spans: Iterable[tuple[Span, int]]) -> None:
        """Adds spans of the host, each with its own time."""
        self._timeline.add(self._host_events(spans))

    def add_events(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Adds events of devices; see `schema`. Their time is that of spans."""
        self._timeline.add(
            json.dumps(
                {
                    **event,
                    "ph": "X",
                    "cat": "gpu",
                    "ts": (event["ts"] - self._began) / 1e3,
                }
            )
            for event in events
        )

    def add_lines(self, name: str, lines: Iterable[str]) -> None:
        """Adds lines of JSON to one of the files of lines."""
        text = "".join(f"{line}\n" for line in lines)
        with interrupts_held():
            self._lines[name].write(text)
            self._lines[name].flush()

    def write_summary(self, about: Mapping[str, Any]) -> None:
        """Writes what is known of the run so far.

        Args:
            about: What `schema` expects, but for what is known here.
        """
        phases = {
            phase: {
                "seconds": self.nanoseconds[phase] / 1e9,
                "calls": self.calls[phase],
            }
            for phase in PHASES
            if self.calls[phase]
        }
        summary = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            **about,
            "phases": phases,
            "seconds": sum(self.nanoseconds.values()) / 1e9,
        }
        write_whole(self._folder / SUMMARY, json.dumps(summary, indent=1) + "\n")

    def close(self) -> None:
        self._timeline.close()
        for file in self._lines.values():
            file.close()

    def _host_events(self, spans: Iterable[tuple[Span, int]]) -> Iterator[str]:
        # Formatted by hand: json.dumps takes four times as long.
        nanoseconds, calls, start = self.nanoseconds, self.calls, self._began
        for (phase, row, began, ended, group, episode, step), own in spans:
            nanoseconds[phase] += own
            calls[phase] += 1
            place = self._places.get((row, group)) or self._place(row, group)
            yield (
                f'{{"name":"{phase}","ph":"X","ts":{(began - start) / 1e3:.3f},'
                f'"dur":{(ended - began) / 1e3:.3f},{place}"episode":{episode},'
                f'"step":{"null" if step is None else step}}}}}'
            )

    def _place(self, row: int, group: int | None) -> str:
        lm = self._lms.get(row)
        place = f'"pid":{HOST},"tid":{row},"args":{{'
        place += "" if lm is None else f'"lm":{json.dumps(lm)},'
        place += "" if group is None else f'"group":{group},'
        self._places[row, group] = place
        return place


class _Timeline:
    """A file with a JSON object that is closed again after each addition."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")
        self._file.write((_OPENING + _CLOSING).encode())
        self._end = len(_OPENING)
        self._is_empty = True

    def add(self, events: Iterable[str]) -> None:
        text = ",\n".join(events)
        if not text:
            return
        joint = "\n" if self._is_empty else ",\n"
        added = f"{joint}{text}".encode()
        with interrupts_held():
            self._file.seek(self._end)
            self._file.write(added + _CLOSING.encode())
            self._file.flush()
            self._end += len(added)
            self._is_empty = False

    def close(self) -> None:
        self._file.close()
