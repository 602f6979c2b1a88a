# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A crew whose workers answer when the test says so."""

from __future__ import annotations

import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from monty_tools.parallel.crew import Crew, Ended, Lost
from monty_tools.parallel.worker import Order, Outcome, Prepared

MODE = "eval"


class Call:
    """What a worker was asked; it is answered when `answer` is set."""

    answer: Any = None

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer


class Ray:
    """As much of Ray as a crew needs.

    Attributes:
        episodes: The calls that run an episode, by its number.
    """

    exceptions = SimpleNamespace(RayError=OSError, RayTaskError=LookupError)

    def __init__(self) -> None:
        self.episodes: dict[int, Call] = {}

    def remote(self, what: Any) -> Any:
        remote = self._worker if isinstance(what, type) else lambda _: Call("")
        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=remote))

    def wait(self, calls: list[Call], **_: Any) -> tuple[list[Call], list[Call]]:
        return [call for call in calls if call.answer is not None], []

    def get(self, call: Call, **_: Any) -> Any:
        return call.answer

    def kill(self, actor: Any) -> None:
        pass

    def _worker(self, _: Order) -> Any:
        found = Prepared("here", "node", Path("worker"), names={MODE: ("a", "b")})
        methods = {
            "prepare": lambda **_: Call(found),
            "run": self._run,
            "ping": lambda: Call(True),
            "close": lambda: Call(True),
        }
        return SimpleNamespace(
            **{name: SimpleNamespace(remote=call) for name, call in methods.items()}
        )

    def _run(self, _: str, number: int) -> Call:
        return self.episodes.setdefault(number, Call())


class DeadlineTest(unittest.TestCase):
    def test_is_that_of_the_episode_and_not_of_its_worker(self) -> None:
        self.enterContext(patch.object(Crew, "_on", lambda *_: {}))
        now = self.enterContext(patch("time.monotonic", return_value=100.0))
        ray = Ray()
        with Crew(ray, Order({}, "1", None), timeout=10) as crew:
            crew.prepare(2)
            for number in (0, 1):
                crew.give(MODE, number)
            ray.episodes[0].answer = outcome = Outcome()
            self.assertEqual(list(crew.wait(0)), [Ended(0, outcome)])

            now.return_value = 111.0
            [(number, lost)] = crew.wait(0)
            self.assertEqual(number, 1)
            assert isinstance(lost, Lost)
            self.assertIn("it took more than 10 s", lost.reason)
            self.assertEqual((crew.idle, crew.running), (1, 0))

            crew.give(MODE, 2)
            self.assertEqual(list(crew.wait(0)), [])
