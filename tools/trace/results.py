# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is recorded of learning modules, in a traced run and in its replay."""

from __future__ import annotations

from typing import Any

from ..parity.codec import Arrays, encode
from ..parity.ending import Ending, describe_exception
from ..parity.look import counters, lm_after_episode, lm_after_step, per_lm
from ..parity.recording import RecordingWriter
from .memory import memory_digest

__all__ = ["Results"]


class Results:
    """Writes what learning modules believe after steps and episodes."""

    def __init__(self, writer: RecordingWriter) -> None:
        self._writer = writer
        self._step_in_episode = 0
        self.steps = 0
        self.episodes = 0

    def after_step(self, monty: Any) -> None:
        self.note(
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
        self.note(episode)
        self.episodes += 1
        self._step_in_episode = 0

    def end(self, error: BaseException | None) -> None:
        ending = Ending.FINISHED if error is None else Ending.RAISED
        details = {} if error is None else describe_exception(error)
        self.note(
            {
                "event": "end",
                "ending": ending.words,
                "episodes": self.episodes,
                "steps": self.steps,
                **details,
            }
        )

    def note(self, event: dict[str, Any]) -> None:
        arrays = Arrays()
        self._writer.add(encode(event, arrays, event["event"]), arrays)
