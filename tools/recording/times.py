# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How long Monty took, according to a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .file import Recording
from .stopwatch import OTHER, PARTS, WHOLE

__all__ = ["COLUMNS", "Times", "rounds_of"]

Times = Sequence[Mapping[str, float]]
"""For each episode the seconds of Monty's parts, see `Stopwatch.take`."""

COLUMNS = (*PARTS, OTHER, WHOLE)


def rounds_of(recording: Recording) -> Sequence[Times]:
    """Returns the times of each round, but of the first of several, which warms up."""
    rounds: dict[int, list] = {}
    for event in recording.events():
        if event["event"] == "time":
            rounds.setdefault(event.get("round", 0), []).append(event["seconds"])
    each = list(rounds.values())
    return each[1:] or each
