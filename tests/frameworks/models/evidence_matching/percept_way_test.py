# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The way of a percept through one step: dispatched, launched, and back.

All calls of a step are followed. CONTRIBUTING draws the way.
"""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from types import FrameType
from typing import Any

from monty_tools.refactor.upstream import obtain
from tbp import monty as package
from tbp.monty.backends.builtin.cuda import CudaBackend
from tests.backends.cuda.host_device import HostStream
from tests.frameworks.models.evidence_matching.learned import learned_lm, percepts_of
from tests.frameworks.models.evidence_matching.two_phase_test import monty_of, step

MOST_FILES = 32
"""Of the fork's own, besides those of upstream."""
ROOT = Path(package.__path__[0])
UPSTREAM = obtain().import_root / "tbp" / "monty"


class PerceptWayTest(unittest.TestCase):
    def way(self, backend: Any) -> dict[str, list[str]]:
        """Return the fork's files that a step calls, and which functions."""
        monty = monty_of(learned_lm(), backend=backend)
        self.addCleanup(monty.close)
        *first, last = percepts_of(0)[:4]
        for percept in first:
            step(monty, [percept])
        found: dict[str, list[str]] = {}

        def note(frame: FrameType, event: str, _: Any) -> None:
            path = Path(frame.f_code.co_filename)
            if event == "call" and path.is_relative_to(ROOT):
                file = path.relative_to(ROOT).as_posix()
                if not (UPSTREAM / file).exists():
                    functions = found.setdefault(file, [])
                    if frame.f_code.co_name not in functions:
                        functions.append(frame.f_code.co_name)

        before = sys.gettrace()
        sys.settrace(note)
        try:
            step(monty, [last])
        finally:
            sys.settrace(before)
        return found

    def test_is_short(self) -> None:
        backends: dict[str, Any] = {
            "numba": "numba",
            "cuda": CudaBackend(lambda _: HostStream()),
        }
        for name, backend in backends.items():
            with self.subTest(name):
                way = self.way(backend)
                drawn = "\n".join(f"{file}: {way[file]}" for file in way)
                self.assertLessEqual(len(way), MOST_FILES, drawn)
                self.assertIn("backends/stacked/steps.py", drawn)
