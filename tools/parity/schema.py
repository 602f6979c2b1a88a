# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What manifests and events of a file must hold, for those who read them.

Only the encoded form is checked here: `codec.decode` checks what it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .stopwatch import OTHER, PARTS, WHOLE

__all__ = ["check_event", "check_manifest"]

Check = Callable[[Any], bool]


def _is(*kinds: type) -> Check:
    # Not isinstance: True is no number here.
    return lambda value: type(value) in kinds


def _all(check: Check) -> Check:
    return lambda value: type(value) is list and all(map(check, value))


def _of(check: Check) -> Check:
    return lambda value: type(value) is dict and all(map(check, value.values()))


def _with(**fields: Check) -> Check:
    return lambda value: type(value) is dict and not _faults(value, fields)


def _anything(_: Any) -> bool:
    return True


NUMBER = _is(int, float)
LIMIT = _is(int, type(None))

MANIFEST: Mapping[str, Check] = {"complete": _is(bool), "counts": _of(_is(int))}
"""Of every file."""

MANIFEST_OF_RUN: Mapping[str, Check] = {
    "experiment": _is(str),
    "limits": _with(steps=LIMIT, episodes=LIMIT),
    "overrides": _all(_is(str)),
    "side": _is(str),
}

LMS = _of(lambda lm: type(lm) is dict and _of(_is(dict))(lm.get("hypotheses", {})))
RAISED = _with(type=_is(str), message=_is(str), args=_is(list))
SECONDS = _with(**dict.fromkeys((*PARTS, OTHER, WHOLE), NUMBER))

TRACED_STEP = {"method": _is(str), "motor_only": _is(bool), "percepts": _is(dict)}

EVENTS: Mapping[str, Mapping[str, Check]] = {
    # Nobody reads events of other kinds.
    "attribute": {"name": _is(str)},
    "call": {"method": _is(str), "args": _is(list), "kwargs": _is(dict)},
    "end": {"ending": _is(str), "episodes": _is(int), "steps": _is(int)},
    "episode": {"index": _is(int), "lms": LMS},
    "model": {"state": _anything},
    "monty": {
        "arguments": _is(dict),
        "class": _anything,
        "detailed": _all(_is(bool)),
        "learning_modules": _is(dict),
        "match_criterion": _anything,
        "memories": _all(_is(dict)),
        "sensor_modules": _all(_is(str)),
    },
    "ran": {"where": _is(str)},
    "start": {"seconds": NUMBER},
    "step": {"step": _is(int), "lms": LMS},
    "time": {"seconds": SECONDS},
}


def check_manifest(manifest: Mapping[str, Any], *, of_run: bool) -> None:
    """Checks a manifest.

    Args:
        manifest: The manifest.
        of_run: Whether it must say what was run.

    Raises:
        ValueError: If something is missing or of the wrong type.
    """
    _check(manifest, {**MANIFEST, **(MANIFEST_OF_RUN if of_run else {})})


def check_event(event: Any) -> None:
    """Checks an event.

    Raises:
        ValueError: If something is missing or of the wrong type.
    """
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        raise ValueError("a line that is no event")  # noqa: TRY004 of a file's content
    fields = EVENTS.get(event["event"], {})
    _check(event, TRACED_STEP if "percepts" in event else fields)
    if "raised" in event:
        _check(event, {"raised": RAISED})


def _check(found: Mapping[str, Any], fields: Mapping[str, Check]) -> None:
    faults = _faults(found, fields)
    if faults:
        raise ValueError(f"{', '.join(faults)}: missing, or not what is expected")


def _faults(found: Mapping[str, Any], fields: Mapping[str, Check]) -> list[str]:
    return [
        name
        for name, check in fields.items()
        if name not in found or not check(found[name])
    ]
