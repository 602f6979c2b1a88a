# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The call path of a percept from the learning module to the kernel and back.

The call stack is recorded at three moments of a step: the backend gets the work, the
kernel starts, and the learning module may read its hypotheses again. The path has all
calls of these stacks. CONTRIBUTING draws it.
"""

from __future__ import annotations

import inspect
import unittest
from pathlib import Path
from unittest.mock import patch

from tbp import monty as package
from tbp.monty.backends.numba import evidence
from tbp.monty.backends.stacked.backend import StackedBackend
from tbp.monty.backends.stacked.residents import Residents
from tests.frameworks.models.evidence_matching.learned import (
    CONTEXT,
    learned_lm,
    percepts_of,
)
from tests.frameworks.models.evidence_matching.two_phase_test import monty_of

MOST_CALLS = 20
MOST_FILES = 12
ROOT = Path(package.__path__[0])


class PerceptWayTest(unittest.TestCase):
    def setUp(self) -> None:
        self.monty = monty_of(learned_lm(), backend="numba")
        self.addCleanup(self.monty.close)
        self.lm = self.monty.learning_modules[0]
        for percept in percepts_of(0)[:3]:
            self.step(percept)
        self.way: dict[tuple[str, str], None] = {}

    def step(self, percept) -> None:
        pending = self.lm.dispatch_matching_step(CONTEXT, [percept])
        self.monty.backend.launch()
        self.lm.process_matching_step(pending)

    def noting(self, function):
        """Return a function that records the calls of the package on the stack."""

        def noted(*arguments, **settings):
            for frame in inspect.stack(context=0)[::-1]:
                file = Path(frame.filename)
                if file.is_relative_to(ROOT):
                    call = (file.relative_to(ROOT).as_posix(), frame.function)
                    self.way.setdefault(call)
            module = function.__module__.removeprefix("tbp.monty.").replace(".", "/")
            self.way.setdefault((f"{module}.py", function.__name__))
            return function(*arguments, **settings)

        return noted

    def test_is_short(self) -> None:
        moments = (
            (StackedBackend, "dispatch"),
            (evidence, "_update"),
            (Residents, "end_update"),
        )
        for owner, name in moments:
            patcher = patch.object(owner, name, self.noting(getattr(owner, name)))
            patcher.start()
            self.addCleanup(patcher.stop)
        self.step(percepts_of(0)[3])
        drawn = "\n".join(f"{file}: {call}" for file, call in self.way)
        files = {file for file, _ in self.way}
        self.assertLessEqual(len(self.way), MOST_CALLS, drawn)
        self.assertLessEqual(len(files), MOST_FILES, drawn)
        self.assertIn("dispatch_matching_step", drawn)
        self.assertIn("numba/evidence.py: _update", drawn)


if __name__ == "__main__":
    unittest.main()
