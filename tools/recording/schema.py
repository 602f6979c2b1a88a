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

from collections.abc import Mapping
from typing import Any

from ..shape import NUMBER, Check, all_of, anything, check, each, fields, kind
from .stopwatch import OTHER, PARTS, WHOLE

__all__ = ["check_event", "check_manifest"]

MANIFEST: Mapping[str, Check] = {"complete": kind(bool), "counts": each(kind(int))}
"""Of every file."""

MANIFEST_OF_RUN: Mapping[str, Check] = {
    "experiment": kind(str),
    "limits": fields(steps=kind(int, type(None)), episodes=kind(str, type(None))),
    "overrides": all_of(kind(str)),
    "side": kind(str),
}

LMS = each(lambda lm: type(lm) is dict and each(kind(dict))(lm.get("hypotheses", {})))
RAISED = fields(type=kind(str), message=kind(str), args=kind(list))
SECONDS = fields(**dict.fromkeys((*PARTS, OTHER, WHOLE), NUMBER))

EVENTS: Mapping[str, Mapping[str, Check]] = {
    # Nobody reads events of other kinds.
    "attribute": {"name": kind(str)},
    "call": {"method": kind(str), "args": kind(list), "kwargs": kind(dict)},
    "end": {"ending": kind(str), "episodes": kind(int), "steps": kind(int)},
    "episode": {"index": kind(int), "lms": LMS},
    "model": {"state": anything},
    "start": {"seconds": NUMBER},
    "step": {"step": kind(int), "lms": LMS},
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
    check(manifest, {**MANIFEST, **(MANIFEST_OF_RUN if of_run else {})})


def check_event(event: Any) -> None:
    """Checks an event.

    Raises:
        ValueError: If something is missing or of the wrong type.
    """
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        raise ValueError("a line that is no event")  # noqa: TRY004 of a file's content
    check(event, EVENTS.get(event["event"], {}))
    if "raised" in event:
        check(event, {"raised": RAISED})
