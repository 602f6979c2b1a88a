# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The files of a profile, and how to read them.

A profile is a folder:

    profile.json    what ran, where, and the seconds of each phase
    timeline.json   Chrome trace events, for Perfetto
    steps.jsonl     one line per step
    memory.jsonl    one line per holder of memory, whenever memory has changed
    episodes.jsonl  one line per episode

Reading checks everything, as the files may come from anybody. A name in them may be any
text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ..guard import Failed
from ..shape import NUMBER, Check, all_of, check, each, fields, kind

__all__ = [
    "EPISODES",
    "FORMAT",
    "FORMAT_VERSION",
    "HOST",
    "MEMORY",
    "PHASES",
    "STEPS",
    "SUMMARY",
    "TIMELINE",
    "Profile",
    "read_profile",
]

FORMAT = "monty-profile"
FORMAT_VERSION = 1

SUMMARY = "profile.json"
TIMELINE = "timeline.json"
STEPS = "steps.jsonl"
MEMORY = "memory.jsonl"
EPISODES = "episodes.jsonl"

PHASES = {
    "setup": "makes the environment and Monty, and loads the model",
    "run": "outside episodes",
    "episode": "within an episode, outside its steps",
    "reset": "resets Monty before an episode",
    "environment": "the environment: actions, observations, objects",
    "step": "within a step, outside the phases below",
    "sensor modules": "sensor modules turn observations into percepts",
    "dispatch": "a learning module describes its update and hands it over",
    "pack": "the backend takes changes back and packs the updates of a group",
    "launch": "the backend updates hypotheses, or has a device start to do so",
    "wait": "the host waits for a device",
    "result": "the backend hands results out",
    "process": "a learning module processes its results",
    "votes": "learning modules vote",
    "goals": "learning modules and sensor modules propose goals",
    "motor": "the motor system chooses actions",
    "logging": "Monty's data loggers, and saved models",
    "profile": "this recording itself",
}
"""The phases of a run on the host. Their own times add up to the whole run."""

HOST = 1
"""The process of the host's events in the timeline; a device's is its number + 2."""

_KINDS = ("table", "graphs", "window", "pool", "model")

TEXT = kind(str)
COUNT = kind(int)
MAYBE_TEXT = kind(str, type(None))
MAYBE_COUNT = kind(int, type(None))


def _is_maybe_number(value: Any) -> bool:
    return value is None or NUMBER(value)


def _is_phases(value: Any) -> bool:
    return each(fields(seconds=NUMBER, calls=COUNT))(value) and {*value} <= {*PHASES}


_OUTCOME: Mapping[str, Check] = {
    "result": MAYBE_TEXT,
    "recognised": MAYBE_TEXT,
    "rotation_error_deg": _is_maybe_number,
}

SUMMARY_FIELDS: Mapping[str, Check] = {
    "experiment": TEXT,
    "overrides": all_of(TEXT),
    "tbp.monty": TEXT,
    "backend": TEXT,
    "machine": each(kind(str, int, float)),
    "started": TEXT,
    "lms": all_of(TEXT),
    "groups": all_of(all_of(TEXT)),
    "ran": each(fields(backend=TEXT, updates=COUNT, reason=MAYBE_TEXT)),
    "fallbacks": all_of(fields(**{"from": TEXT, "to": TEXT}, lm=TEXT, reason=TEXT)),
    "phases": _is_phases,
    "steps": COUNT,
    "episodes": COUNT,
    "seconds": NUMBER,
}

IS_EVENT = fields(
    name=TEXT,
    ph=lambda value: value in ("X", "M"),
    pid=COUNT,
    tid=COUNT,
    args=kind(dict),
)
IS_COMPLETE = fields(
    ts=NUMBER,
    dur=lambda value: NUMBER(value) and value >= 0,
    args=fields(episode=COUNT, step=MAYBE_COUNT),
)

STEP_FIELDS: Mapping[str, Check] = {
    "episode": COUNT,
    "step": COUNT,
    "seconds": NUMBER,
    "target": MAYBE_TEXT,
    "lms": each(
        fields(hypotheses=COUNT, most_likely=MAYBE_TEXT, evidence=each(NUMBER))
    ),
    "bytes_sent": COUNT,
    "bytes_returned": COUNT,
    "launches": COUNT,
    "host_bytes": COUNT,
    "device_bytes": COUNT,
}

MEMORY_FIELDS: Mapping[str, Check] = {
    "episode": COUNT,
    "step": COUNT,
    "where": TEXT,
    "backend": TEXT,
    "kind": _KINDS.__contains__,
    "lm": MAYBE_TEXT,
    "object": MAYBE_TEXT,
    "bytes": COUNT,
    "made_by": TEXT,
    "reason": TEXT,
}

EPISODE_FIELDS: Mapping[str, Check] = {
    "episode": COUNT,
    "target": MAYBE_TEXT,
    "steps": COUNT,
    "seconds": NUMBER,
    "lms": each(fields(**_OUTCOME)),
    **_OUTCOME,
}


@dataclass(frozen=True)
class Profile:
    """A profile that was read and checked.

    Attributes:
        folder: Where it is.
        summary: What `profile.json` holds.
        events: The events of the timeline, in the order of the file.
        steps: The lines of `steps.jsonl`.
        memory: The lines of `memory.jsonl`. All lines of one step are one sample, which
            holds until the next sample.
        episodes: The lines of `episodes.jsonl`.
    """

    folder: Path
    summary: Mapping[str, Any]
    events: list[Mapping[str, Any]]
    steps: list[Mapping[str, Any]]
    memory: list[Mapping[str, Any]]
    episodes: list[Mapping[str, Any]]


def read_profile(folder: Path) -> Profile:
    """Reads and checks a profile.

    Raises:
        Failed: If the folder holds no profile, or a file of it is damaged.
    """
    if not (folder / SUMMARY).is_file():
        raise Failed(
            f"{folder} holds no profile: it has no {SUMMARY}. 'monty run … --profile "
            "DIR' writes one"
        )
    return Profile(
        folder=folder,
        summary=_read(folder / SUMMARY, _check_summary),
        events=_read(folder / TIMELINE, _check_timeline)["traceEvents"],
        steps=_read_lines(folder / STEPS, STEP_FIELDS),
        memory=_read_lines(folder / MEMORY, MEMORY_FIELDS),
        episodes=_read_lines(folder / EPISODES, EPISODE_FIELDS),
    )


def _read(file: Path, check_found: Callable[[Any], None]) -> Any:
    try:
        return _checked(file.read_text("utf-8"), check_found)
    except (OSError, ValueError, RecursionError) as error:
        raise Failed(f"{file}: {_in_a_line(error)}") from error


def _read_lines(file: Path, checks: Mapping[str, Check]) -> list[Mapping[str, Any]]:
    def check_line(found: Any) -> None:
        if type(found) is not dict:
            raise ValueError("not a JSON object")
        check(found, checks)

    found: list[Mapping[str, Any]] = []
    try:
        with file.open(encoding="utf-8") as lines:
            found.extend(_checked(line, check_line) for line in lines)
    except (OSError, ValueError, RecursionError) as error:
        line = len(found) + 1
        raise Failed(f"{file}, line {line}: {_in_a_line(error)}") from error
    return found


def _checked(text: str, check_found: Callable[[Any], None]) -> Any:
    found = json.loads(text, parse_constant=_no_constant)
    check_found(found)
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _check_summary(found: Any) -> None:
    if type(found) is not dict or found.get("format") != FORMAT:
        raise ValueError(f"not a profile: 'format' is not {FORMAT!r}")
    if found.get("format_version") != FORMAT_VERSION:
        raise ValueError(
            f"format version {found.get('format_version')!r}; this release reads "
            f"{FORMAT_VERSION}: read it with the release that wrote it"
        )
    check(found, SUMMARY_FIELDS)


def _check_timeline(found: Any) -> None:
    if type(found) is not dict or type(found.get("traceEvents")) is not list:
        raise ValueError("no list of 'traceEvents'")
    for number, event in enumerate(found["traceEvents"]):
        if not _is_event(event):
            raise ValueError(f"event {number} is not what is expected")


def _is_event(event: Any) -> bool:
    return IS_EVENT(event) and (event["ph"] == "M" or IS_COMPLETE(event))


def _in_a_line(error: BaseException) -> str:
    message = str(error).partition("\n")[0]
    return (
        message
        if isinstance(error, ValueError)
        else f"{type(error).__name__}: {message}"
    )
