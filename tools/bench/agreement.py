# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Checks that all sides computed the same, so that no side is timed doing less."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..recording.tolerance import EXACT, TOLERANCE

__all__ = ["Disagreement", "End", "check_agreement"]


class Disagreement(Exception):
    """Two episodes that should be the same are not."""


@dataclass(frozen=True)
class End:
    """How an episode of a side ended.

    Attributes:
        side: The name of the side.
        when: Which episode it was, in words.
        state: See `state.end_state`.
        trace: What was believed after each step, if requested; see
            `state.beliefs`.
    """

    side: str
    when: str
    state: dict[str, Any]
    trace: list[list[dict[str, Any]]] | None = None


def check_agreement(one: End, other: End) -> None:
    """Check that two episodes, of two sides or of one, were the same.

    Those of `upstream` and `reference` must be equal to the last bit. Others must have
    as many hypotheses, prefer the same one, and have nearly the same evidence for it
    and for each object.

    Args:
        one: How one of them ended.
        other: How the other one ended.

    Raises:
        Disagreement: If they were not.
    """
    if one.trace is not None and other.trace is not None:
        for step, (a, b) in enumerate(zip(one.trace, other.trace, strict=True)):
            _check(one, other, f"after step {step + 1}", a, b)
    for part, where in (("beliefs", "at the end"), ("most", "in the most evidence")):
        _check(one, other, where, one.state[part], other.state[part])
    if {one.side, other.side} <= EXACT and one.state["digest"] != other.state["digest"]:
        raise _disagreement(one, other, "in the last bits of their hypotheses")


def _check(one: End, other: End, where: str, lms: list, other_lms: list) -> None:
    for lm, (a, b) in enumerate(zip(lms, other_lms, strict=True)):
        if not _nearly_equal(a, b):
            which = f"{where}, in learning module {lm}: {a} and {b}"
            raise _disagreement(one, other, which)


def _disagreement(one: End, other: End, where: str) -> Disagreement:
    return Disagreement(
        f"{one.side} ({one.when}) and {other.side} ({other.when}) differ {where}; "
        "they did not do the same, so their times mean nothing"
    )


def _nearly_equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        math.isclose(value, other[key], rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        if isinstance(value, float) and isinstance(other[key], float)
        else value == other[key]
        for key, value in one.items()
    )
