# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is noted of each step besides its time: beliefs, traffic and memory."""

from __future__ import annotations

import json
import operator
from typing import Any

from .beliefs import belief, lm_id, target_of
from .memory import MemoryWatch, backends_of

__all__ = ["StepNotes"]


class StepNotes:
    """Notes the steps of an experiment, without changing its state.

    Attributes:
        steps: Lines of `steps.jsonl`.
        memory: Lines of `memory.jsonl`.
        watch: Samples the memory.
        streams: The streams of devices whose traffic counts.
        count: The number of steps so far.
    """

    def __init__(self, experiment: Any) -> None:
        self._experiment = experiment
        self.steps: list[str] = []
        self.memory: list[str] = []
        self.watch = MemoryWatch()
        self.streams: list[Any] = []
        self.count = 0
        self._traffic = (0, 0, 0)

    def note(self, episode: int, step: int, seconds: float) -> None:
        """Notes a step that has just ended."""
        model = self._experiment.model
        self.memory += self.watch.sample(model, episode, step)
        before, self._traffic = self._traffic, self._total_traffic()
        sent, returned, launches = map(operator.sub, self._traffic, before)
        self.count += 1
        line = {
            "episode": episode,
            "step": step,
            "seconds": seconds,
            "target": target_of(self._experiment),
            "bytes_sent": sent,
            "bytes_returned": returned,
            "launches": launches,
            "host_bytes": self.watch.host_bytes,
            "device_bytes": self.watch.device_bytes,
        }
        line["lms"] = {lm_id(lm): belief(lm) for lm in model.learning_modules}
        self.steps.append(json.dumps(line))

    def _total_traffic(self) -> tuple[int, int, int]:
        """Returns bytes sent to devices, bytes returned, and launches of groups."""
        moved = [stream.moved for stream in self.streams]
        backends = backends_of(self._experiment.model)
        return (
            sum(one.to_device for one in moved),
            sum(one.from_device for one in moved),
            sum(sum(getattr(one, "launches", {}).values()) for one in backends),
        )
