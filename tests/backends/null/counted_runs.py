# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs of the same Monty on `null`, on `cuda` and in a plan, with what each counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from monty_tools.plan.counting import count
from tbp.monty.backends.builtin.cuda import CudaBackend
from tests.synthetic_monty import SyntheticRun

__all__ = ["CONFIGS", "Counts", "counts_of_plan", "counts_of_run", "differences"]

STEPS = 3
"""Before any learning module recognises an object: then it reads hypotheses, and how
many depends on the evidence."""

CONFIGS: dict[str, Callable[..., SyntheticRun]] = {
    "default updater": lambda **size: SyntheticRun(steps=STEPS, votes=False, **size),
    "burst sampling": lambda **size: SyntheticRun(
        "burst_sampling", steps=STEPS, votes=False, **size
    ),
    "two channels": lambda **size: SyntheticRun(
        channels=2, steps=STEPS, votes=False, **size
    ),
}


class Counts(NamedTuple):
    """What a step asked of a GPU, and the most memory up to its end."""

    launches: int
    sent: int
    returned: int
    peak: int


def differences(found: list[Counts], expected: list[Counts]) -> list[str]:
    """Return in what episodes differ by more than 5 %."""
    differing = []
    for name, one, other in zip(
        Counts._fields, _of_episode(found), _of_episode(expected), strict=True
    ):
        if abs(one - other) > 0.05 * other:
            differing.append(f"{name}: {one} instead of {other}")
    return differing


def _of_episode(steps: list[Counts]) -> Counts:
    *sums, _ = map(sum, zip(*steps, strict=True))
    return Counts(*sums, steps[-1].peak)


def counts_of_run(run: SyntheticRun, backend: CudaBackend) -> list[Counts]:
    """Run an episode, and return what each of its steps asked for.

    Args:
        run: The Monty and the episode.
        backend: `cuda`, or one that is derived from it.
    """
    monty = run.make(backend)
    try:
        context, counts, before = run.begin(monty), [], (0, 0, 0)
        for step in range(run.steps):
            run.step(monty, context, step)
            streams = backend._streams
            now = (
                sum(sum(stream.launched.values()) for stream in streams),
                sum(stream.moved.to_device for stream in streams),
                sum(stream.moved.from_device for stream in streams),
            )
            asked = (a - b for a, b in zip(now, before, strict=True))
            peak = sum(stream.peak for stream in streams)
            counts.append(Counts(*asked, peak))
            before = now
        return counts
    finally:
        monty.close()


def counts_of_plan(run: SyntheticRun) -> list[Counts]:
    """Return what the steps of an episode will ask for, as planned."""
    monty = run.make("null")
    try:
        counted = count(monty, steps=run.steps)
    finally:
        monty.close()
    return [Counts(one.launches, one.sent, one.returned, one.peak) for one in counted]
