# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A traced run of a small Monty."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from monty_tools.recording.file import RecordingWriter
from monty_tools.trace.monty import AGENT
from monty_tools.trace.results import TRACE
from monty_tools.trace.tracer import Tracer
from tests.synthetic_monty import SyntheticRun

__all__ = ["EPISODES", "LMS", "trace_run"]

LMS = 3
EPISODES = 2


def trace_run(
    path: Path,
    updater: str,
    *,
    steps: int,
    prepare: Callable[[Any], None] = lambda _: None,
) -> None:
    """Trace episodes of learning modules that vote.

    Args:
        path: The trace to write.
        updater: The hypotheses updater, `default` or `burst`.
        steps: The steps of an episode.
        prepare: Called with the Monty, before it is traced.
    """
    run = SyntheticRun(updater, LMS, steps=steps)
    monty = run.make("reference")
    prepare(monty)
    with RecordingWriter(path, {}, TRACE) as writer:
        tracer = Tracer(writer, run.config)
        tracer.attach(monty)
        for _ in range(EPISODES):
            context = run.begin(monty)
            for step in range(steps):
                reports = run.reports(step)
                # One step without input to one module, one without stepping any.
                reports["patch_1"].pass_message = step != 3
                monty.motor_system.motor_only_step = step == 5
                monty.step(context, {AGENT: reports}, {AGENT: None})
            monty.deal_with_time_out()
            monty.update_ltm()
        tracer.finish()
