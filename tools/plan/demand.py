# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What steps ask of a GPU, counted on the backend `null`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy.typing as npt

from tbp.monty.backends.builtin.null import NullBackend

from .planned import Planned

__all__ = ["COUNTING", "Counted", "Demand", "count", "demand_of"]


COUNTING = ("cuda", "null")
"""The backends whose demand can be counted."""


@dataclass(frozen=True)
class Counted:
    """What a step asked for.

    Attributes:
        hypotheses: How many there are after it.
        launches: How many kernels were launched.
        sent: How many bytes were sent.
        returned: How many bytes came back.
        memory: The bytes held after it, by their use.
        peak: The most bytes held up to its end.
    """

    hypotheses: int
    launches: int
    sent: int
    returned: int
    memory: Mapping[str, int]
    peak: int


@dataclass(frozen=True)
class Demand:
    """What an episode asks of a GPU.

    Attributes:
        first: Its first step.
        burst: Another step on which burst sampling adds hypotheses, if there is one.
        later: Any other step.
        most: The step with the most hypotheses: nothing that is sensed has a direction,
            and burst sampling deletes nothing.
    """

    first: Counted
    burst: Counted | None
    later: Counted
    most: Counted


def demand_of(planned: Planned, real: npt.DTypeLike) -> Demand:
    """Return what learning modules ask of a GPU.

    Args:
        planned: The learning modules; those that the backend can run.
        real: The precision.
    """
    burst = max((lm.burst_steps for lm in planned.lms), default=0)
    steps = max(burst, 1) + 1
    usual = most = count(planned, real, steps=steps)
    if any(lm.has_more_without_direction for lm in planned.lms):
        most = count(planned, real, steps=steps, is_umbilical=True)
    return Demand(
        first=usual[0],
        burst=usual[1] if burst > 1 else None,
        later=usual[-1],
        most=most[-1],
    )


def count(
    planned: Planned,
    real: npt.DTypeLike,
    *,
    steps: int,
    is_umbilical: bool = False,
) -> list[Counted]:
    """Run steps on a GPU that is not there; return what each asked for.

    Args:
        planned: The learning modules; those that the backend can run.
        real: The precision.
        steps: How many steps to run.
        is_umbilical: Whether what is sensed has no direction.
    """
    opened = NullBackend(real, planned.copies)
    counted: list[Counted] = []
    for lm in planned.lms:
        lm.begin(is_umbilical=is_umbilical)
    try:
        before = (0, 0, 0)
        for _ in range(steps):
            _step(opened, planned)
            streams = opened.streams
            now = (
                sum(sum(stream.launched.values()) for stream in streams),
                sum(stream.moved.to_device for stream in streams),
                sum(stream.moved.from_device for stream in streams),
            )
            launches, sent, returned = (a - b for a, b in zip(now, before, strict=True))
            before = now
            counted.append(
                Counted(
                    hypotheses=sum(lm.count for lm in planned.lms),
                    launches=launches,
                    sent=sent,
                    returned=returned,
                    memory=dict(opened.memory),
                    peak=sum(stream.peak for stream in streams),
                )
            )
    finally:
        for lm in planned.lms:
            lm.begin()  # or it would be left copies of all of its hypotheses
        opened.close()
    return counted


def _step(backend: NullBackend, planned: Planned) -> None:
    works = []
    for group in planned.groups:
        for i in group:
            works.append(planned.lms[i].next_work())
            backend.dispatch(works[-1], group)
        backend.launch(group)
    for work in works:
        backend.result(work)
    for lm in planned.lms:
        lm.vote()
