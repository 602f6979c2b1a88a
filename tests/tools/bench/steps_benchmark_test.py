# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from benchmarks import steps_benchmark
from benchmarks.steps_benchmark import NOTHING, compared, lines_owned, verdict
from monty_tools.recording.stopwatch import CPU, WHOLE
from monty_tools.refactor.codemods import replace_call
from monty_tools.refactor.codemods.replace_call import ReplaceCall
from monty_tools.refactor.step import Rewrite, Step


def run(name: str, *percent: float) -> dict:
    as_is = [{WHOLE: 2.0, CPU: 4.0} for _ in percent]
    without = [{WHOLE: 2 + p / 50, CPU: 4.0} for p in percent]
    return compared(name, as_is, without)


class ComparedTest(unittest.TestCase):
    def test_is_the_median_of_the_rounds_and_not_of_the_seconds(self) -> None:
        as_is = [
            {WHOLE: 1.0, CPU: 1.0},
            {WHOLE: 10.0, CPU: 1.0},
            {WHOLE: 2.0, CPU: 1.0},
        ]
        without = [
            {WHOLE: 1.1, CPU: 2.0},
            {WHOLE: 9.0, CPU: 2.0},
            {WHOLE: 2.1, CPU: 2.0},
        ]
        found = compared("a run", as_is, without)
        self.assertAlmostEqual(found["wall"]["cost_percent"], 5)
        low, high = found["wall"]["quartiles_percent"]
        self.assertAlmostEqual(low, -2.5)
        self.assertAlmostEqual(high, 7.5)
        self.assertAlmostEqual(found["cpu"]["cost_percent"], 100)
        self.assertEqual(found["wall"]["without_s"], [1.1, 9.0, 2.1])


class VerdictTest(unittest.TestCase):
    def test_a_step_stays_if_one_run_would_miss_it(self) -> None:
        runs = [run("first", 0, 0, 0), run("second", 1, 2.25, 30)]
        self.assertEqual(verdict("a_step", runs), "stays: 2.2 % (second)")

    def test_a_step_goes_if_no_run_would_miss_it(self) -> None:
        runs = [run("first", 1.5, 1.75, 30), run("second", -9, -8, -7)]
        self.assertEqual(verdict("a_step", runs), "goes: 1.8 % (first)")

    def test_two_forks_that_are_the_same_differ_by_noise(self) -> None:
        self.assertEqual(
            verdict(NOTHING, [run("only", 3, 3, 3)]), "noise: 3.0 % (only)"
        )


CALL = ReplaceCall(class_name="Bird", method="sing", function="play", by="hum")


class LinesOwnedTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        patched = mock.patch.object(steps_benchmark, "checkout", lambda: self.root)
        patched.start()
        self.addCleanup(patched.stop)
        for file, lines in {
            "tools/refactor/steps/mine.py": 1,
            "src/tbp/monty/models/own.py": 20,
            "src/tbp/monty/models/shared.py": 300,
            "tests/models/own_test.py": 4000,
            "tests/models/shared_test.py": 50_000,
            "tests/fork/mine_test.py": 600_000,
        }.items():
            path = self.root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n" * lines)

    def owned(self, **other: tuple) -> dict[str, int]:
        mine = Step(
            title="mine",
            part="perf",
            body="",
            rewrites=[Rewrite("a.py", CALL)],
            overlay=("models/own.py", "models/shared.py"),
            tests=("models/own_test.py", "models/shared_test.py"),
        )
        others = {"overlay": ("models/shared.py",), "tests": ("models/shared_test.py",)}
        common = {"title": "other", "part": "perf", "body": "", "rewrites": ()}
        other_step = Step(**{**common, **others, **other})
        return lines_owned("mine", mine, [other_step, mine])

    def test_counts_what_no_other_step_has_and_each_test_once(self) -> None:
        codemod = len(Path(replace_call.__file__).read_text("utf-8").splitlines())
        expected = {"step": 1 + codemod, "overlay": 20, "tests": 604_000}
        self.assertEqual(self.owned(), expected)

    def test_a_codemod_that_another_step_uses_is_not_its_own(self) -> None:
        other = (Rewrite("b.py", CALL),)
        self.assertEqual(self.owned(rewrites=other)["step"], 1)
