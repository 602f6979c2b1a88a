# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the JSON files of commands must hold, so that a page can be made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..recording.stopwatch import WHOLE
from ..shape import NUMBER, Check, all_of, check, each, fields, kind

__all__ = ["FORMATS", "check_content"]

TEXT = kind(str)
COUNT = kind(int)


def _positive(value: Any) -> bool:
    return NUMBER(value) and value > 0


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _is_pair(value: Any) -> bool:
    return all_of(_positive)(value) and len(value) == 2


def _is_seconds(value: Any) -> bool:
    return each(NUMBER)(value) and WHOLE in value


def _some(check: Check) -> Check:
    return lambda value: all_of(check)(value) and bool(value)


_SYNTHETIC_ROW = fields(
    backend=TEXT,
    lms=_positive,
    objects=_positive,
    updater=TEXT,
    groups=_or_none(all_of(_some(COUNT))),
    steps=_positive,
    rounds=COUNT,
    version=TEXT,
    hypotheses=NUMBER,
    median_s=_positive,
    ratio=_or_none(_positive),
    ratio_quartiles=_or_none(_is_pair),
    peak_mib=NUMBER,
    rounds_s=_some(_positive),
)

_RUN_ROW = fields(
    backend=TEXT,
    version=TEXT,
    experiment=TEXT,
    overrides=all_of(TEXT),
    episodes=COUNT,
    steps=COUNT,
    rounds=COUNT,
    cpu_s=NUMBER,
    seconds=_is_seconds,
    start_s=NUMBER,
    ratio=_positive,
    ratio_quartiles=_is_pair,
)

_ROWS = {"lm-phase": _SYNTHETIC_ROW, "vote": _SYNTHETIC_ROW, "run": _RUN_ROW}

_TIMES = _or_none(fields(seconds=_is_seconds))

_COMPARISON: Mapping[str, Check] = {
    "equal": kind(bool),
    "episodes": COUNT,
    "steps": COUNT,
    "updates": COUNT,
    "rows": all_of(fields(what=TEXT, compared=COUNT, equal=COUNT, largest=NUMBER)),
    "first_difference": _or_none(kind(dict)),
}


def _is_replayed(value: Any) -> bool:
    plain = fields(side=TEXT, ran=kind(str, type(None)), times=_TIMES)
    return plain(value) and ("rows" not in value or fields(**_COMPARISON)(value))


FORMATS: Mapping[str, Mapping[str, Check]] = {
    "monty-bench": {"benchmark": lambda value: value in _ROWS},
    "monty-parity": {
        "sides": _some(fields(side=TEXT, experiment=TEXT)),
        "tolerance": NUMBER,
        "times": all_of(_TIMES),
        **_COMPARISON,
    },
    "monty-replay": {"sides": all_of(_is_replayed)},
    "monty-compare": {
        "baseline": TEXT,
        "proposed": TEXT,
        "measured": TEXT,
        "experiments": all_of(
            fields(
                name=TEXT,
                notes=all_of(TEXT),
                rows=all_of(
                    fields(
                        metric=TEXT,
                        baseline=_or_none(NUMBER),
                        proposed=_or_none(NUMBER),
                        delta=_or_none(NUMBER),
                        result=TEXT,
                    )
                ),
            )
        ),
        "left_out": all_of(fields(name=TEXT, reason=TEXT)),
    },
}
"""What is checked of each format."""


def check_content(found: Mapping[str, Any]) -> None:
    """Check what a file holds.

    Args:
        found: The content of the file; its format is one of `FORMATS`.

    Raises:
        ValueError: If something is missing or is not what it must be.
    """
    check(found, FORMATS[found["format"]])
    if found["format"] == "monty-bench":
        check(found, {"rows": _some(_ROWS[found["benchmark"]])})
