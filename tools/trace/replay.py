# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Repeats the calls of a trace on a Monty.

There are no sensors, no environment and no motor system: the recorded reports of the
sensor modules take the place of observations, and nothing moves.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ending import CouldNotRun, is_result, one_line
from ..recording.file import Recording
from ..recording.stopwatch import Stopwatch
from .monty import AGENT, make_monty, nothing_sensed
from .results import Results
from .supervision import apply_supervision
from .tracer import CALLS

__all__ = ["Replayed", "replay"]

OnProgress = Callable[[int, int], None]


def replay(
    trace: Recording,
    results: Results | None = None,
    on_progress: OnProgress = lambda _episodes, _steps: None,
) -> Replayed:
    """Replays a trace on the Monty of this process.

    Args:
        trace: The trace.
        results: Where to write what learning modules believe. Without it nothing is
            read between steps: a backend may have to fetch what is read.
        on_progress: Called with the numbers of episodes and steps done so far.

    Returns:
        The times.
    """
    replayed = Replayed(trace, results, on_progress)
    try:
        replayed.run()
    except Exception as error:
        if results is None or error is not replayed.error:
            raise
        if not is_result(error, trace.events()):
            raise
    finally:
        replayed.close()
    if results is not None:
        results.end(replayed.error)
    return replayed


class Replayed:
    """A replay, with its times and what the backend ran.

    Attributes:
        seconds: For each episode the seconds of Monty's parts, see `Stopwatch.take`.
        ran_where: What the backend says it ran; None if there is no backend.
        error: What Monty raised, if anything.
    """

    def __init__(
        self, trace: Recording, results: Results | None, on_progress: OnProgress
    ) -> None:
        self.seconds: list[dict[str, float]] = []
        self.ran_where: str | None = None
        self.error: Exception | None = None
        self._trace = trace
        self._results = results
        self._on_progress = on_progress
        self._stopwatch = Stopwatch()
        self._monty: Any = None
        self._context: Any = None
        self._steps = 0
        self._is_in_episode = False

    def run(self) -> None:
        for event in self._trace.events():
            self._do(event)
        if self._is_in_episode:
            self.seconds.append(self._stopwatch.take())

    def close(self) -> None:
        """Closes the backend, if there is one."""
        backend = getattr(self._monty, "backend", None)
        if backend is not None:
            self.ran_where = backend.summary()
            self._monty.close()

    def _do(self, event: dict[str, Any]) -> None:
        try:
            if event["event"] == "monty":
                self.close()
                self._make(self._trace.decode(event))
            elif event["event"] == "call" and event["method"] == "step":
                self._do_step(self._trace.decode(event))
            elif event["event"] == "call":
                self._do_call(self._trace.decode(event))
        except CouldNotRun:
            raise
        except Exception as error:
            if error is self.error:
                raise
            raise CouldNotRun(
                f"{self._trace.path}: cannot repeat a {event['event']!r}: "
                f"{one_line(error)}"
            ) from error

    def _make(self, event: dict[str, Any]) -> None:
        gc.collect()  # what an earlier round has left
        self._monty = make_monty(event)
        self._stopwatch.attach(self._monty)
        context = importlib.import_module("tbp.monty.context")
        self._context = context.RuntimeContext(rng=np.random.RandomState(0))

    def _do_step(self, event: dict[str, Any]) -> None:
        monty = self._monty
        if "random_state" in event:
            self._context.rng.set_state(tuple(event["random_state"]))
        monty.motor_system.motor_only_step = event["motor_only"]
        percepts = event["percepts"]
        reports = {
            sm.sensor_module_id: percepts.get(sm.sensor_module_id)
            or nothing_sensed(sm.sensor_module_id)
            for sm in monty.sensor_modules
        }
        self._is_in_episode = True
        self._call(monty.step, self._context, {AGENT: reports}, {AGENT: None})
        if self._results is not None:
            self._results.after_step(monty)
        self._steps += 1
        self._tell()

    def _do_call(self, event: dict[str, Any]) -> None:
        monty, results = self._monty, self._results
        if event["method"] not in CALLS:
            raise CouldNotRun(
                f"{self._trace.path}: a trace may not call {event['method']!r}"
            )
        call = getattr(monty, event["method"])
        learns = event["method"] == "update_ltm"
        if "written" in event:
            apply_supervision(monty, event["written"])
        episode = None
        if learns and results is not None:
            episode = results.before_learning(monty)
        self._call(call, *event["args"], **event["kwargs"])
        if learns:
            if results is not None and episode is not None:
                results.after_learning(monty, episode)
            self.seconds.append(self._stopwatch.take())
            self._is_in_episode = False
            self._tell()

    def _call(self, call: Callable, *args: Any, **kwargs: Any) -> None:
        try:
            call(*args, **kwargs)
        except Exception as error:
            self.error = error
            raise

    def _tell(self) -> None:
        self._on_progress(len(self.seconds), self._steps)
