# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is recorded of learning modules, in a traced run and in its replay.

A trace is a recording whose events are calls of a Monty:

monty     a Monty was made: its class and arguments, its learning modules with all
          their parts, and what they know
call      a method of it was called; for ``step`` with what the sensor modules reported
step      what the learning modules believed after a step
episode   their results at the end of an episode
end       how it ended
"""

from __future__ import annotations

from typing import Any

from ..ending import Ending, describe_exception
from ..recording.file import FileKind, RecordingWriter
from ..recording.look import counters, lm_after_episode, lm_after_step, per_lm
from .memory import memory_digest

__all__ = ["SUFFIX", "TRACE", "Results"]

TRACE = FileKind("monty-trace", 1, "trace", "make the trace again")
SUFFIX = ".trace.zip"


class Results:
    """Writes what learning modules believe after steps and episodes."""

    def __init__(self, writer: RecordingWriter) -> None:
        self._writer = writer
        self._step_in_episode = 0
        self.steps = 0
        self.episodes = 0

    def after_step(self, monty: Any) -> None:
        self._writer.note(
            {
                "event": "step",
                "episode": self.episodes,
                "step": self._step_in_episode,
                "step_type": monty.step_type,
                "lms": per_lm(monty, lm_after_step),
            }
        )
        self._step_in_episode += 1
        self.steps += 1

    def before_learning(self, monty: Any) -> dict[str, Any]:
        return {
            "event": "episode",
            "index": self.episodes,
            "steps": self._step_in_episode,
            "counters": counters(monty),
            "lms": per_lm(monty, lm_after_episode),
        }

    def after_learning(self, monty: Any, episode: dict[str, Any]) -> None:
        for lm, memory in per_lm(monty, memory_digest).items():
            episode["lms"][lm].update(memory)
        self._writer.note(episode)
        self.episodes += 1
        self._step_in_episode = 0

    def end(self, error: BaseException | None) -> None:
        ending = Ending.FINISHED if error is None else Ending.RAISED
        details = {} if error is None else describe_exception(error)
        self._writer.note(
            {
                "event": "end",
                "ending": ending.words,
                "episodes": self.episodes,
                "steps": self.steps,
                **details,
            }
        )
