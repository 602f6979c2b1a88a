# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import pytest

from monty_tools.report.inputs import read_input
from tbp.monty.cli import main
from tests.interrupts import take_interrupts

TINY = ("--lms=1", "--objects=2", "--nodes=40-60", "--steps=3", "--rounds=2")


def bench(*arguments: str) -> tuple[int, str, str]:
    """Run the command in this process.

    Returns:
        The exit status and what was printed, on standard output and error.
    """
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(["bench", *arguments])
        except SystemExit as stop:
            status = stop.code
    return status, out.getvalue(), err.getvalue()


class LMPhaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        file = Path(folder.name) / "rows.json"
        cls.status, cls.out, cls.err = bench(
            "lm-phase", *TINY, "--updater=default", f"--json={file}"
        )
        cls.rows = read_input(file).content["rows"] if file.exists() else None

    def test_the_table_has_upstream_and_reference(self) -> None:
        self.assertEqual(self.status, 0, self.err)
        for backend in ("upstream", "reference"):
            self.assertRegex(self.out, rf"(?m)^{backend} +\d+\.\d+ ")
        self.assertIn("default updater, 3 steps", self.out)

    def test_the_rows_have_what_a_program_needs(self) -> None:
        names = [row["backend"] for row in self.rows]
        self.assertEqual(names, ["upstream", "reference"])
        for row in self.rows:
            self.assertEqual((row["lms"], row["objects"]), (1, 2))
            self.assertEqual(row["updater"], "default")
            for field in ("hypotheses", "median_s", "ratio", "iqr_s", "peak_mib"):
                self.assertGreater(row[field], 0)
        self.assertEqual(self.rows[0]["ratio"], 1)

    def test_no_bar_is_drawn_without_a_terminal(self) -> None:
        # On a slow machine there is a line now and then.
        for line in self.err.splitlines(keepends=True):
            self.assertRegex(line, r"^lm-phase: \d+ of \d+ episodes, [^\r]*\n$")


class VoteTest(unittest.TestCase):
    @pytest.mark.thorough
    def test_votes_are_timed_and_shown(self) -> None:
        status, out, err = bench("vote", *TINY, "--lms=2", "--votes=4")
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"[1-9]\d* votes sent per step")
        self.assertRegex(out, r"(?m)^reference +\d+\.\d+ ")

    def test_one_learning_module_cannot_vote(self) -> None:
        status, _, err = bench("vote", *TINY)
        self.assertEqual(status, 2)
        self.assertIn("another learning module", err)


class ErrorTest(unittest.TestCase):
    def assert_refused(self, arguments: tuple[str, ...], *words: str) -> None:
        status, _, err = bench(*arguments)
        self.assertEqual(status, 2)
        for word in words:
            self.assertIn(word, err)

    def test_help_says_what_the_ratio_is(self) -> None:
        status, out, _ = bench("lm-phase", "--help")
        self.assertEqual(status, 0)
        self.assertIn("the baseline's time by the side's", out)

    def test_an_unknown_backend_is_refused_by_the_fork(self) -> None:
        self.assert_refused(
            ("lm-phase", "--proposed", "refrence"), "did you mean reference?"
        )

    def test_invalid_arguments_are_refused(self) -> None:
        for argument, word in (
            ("--lms=0", "0 is not 1 or more"),
            ("--threads=0", "0 is not 1 or more"),
            ("--updater=fast", "'fast'"),
            ("--proposed=numba,", "empty"),
            ("--nodes=9-3", "9 is more than 3"),
            ("--json=no/such/folder/rows.json", "cannot be written"),
            ("--groups=some", "'one', 'each', or ranges"),
            ("--groups=0-1,3-4", "named exactly once"),
        ):
            with self.subTest(argument):
                self.assert_refused(("lm-phase", argument), word)

    def test_whole_runs_need_a_recording_and_sides_that_run(self) -> None:
        self.assert_refused(("run",), "--recording")
        run = ("run", "--recording", "no.rec.zip", "--proposed")
        self.assert_refused((*run, "numba,refrence"), "did you mean reference?")
        self.assert_refused((*run, "./results"), "a folder, which cannot be run")
        self.assert_refused((*run, "reference"), "no.rec.zip")

    def test_an_unknown_benchmark_lists_the_known_ones(self) -> None:
        self.assert_refused(("speed",), "lm-phase")


def _is_running(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    try:
        state = status.read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


class InterruptTest(unittest.TestCase):
    def test_an_interrupt_ends_all_processes(self) -> None:
        if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
            self.skipTest("looking for child processes needs /proc")
        take_interrupts(self)
        parent = subprocess.Popen(
            [sys.executable, "-m", "tbp.monty.cli", "bench", "lm-phase", *TINY],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        sides = self.wait_for_children(parent.pid, 2)
        parent.send_signal(signal.SIGINT)
        _, err = parent.communicate(timeout=30)
        self.assertEqual(parent.returncode, 130, err)
        self.assertIn("interrupted", err)
        # A process that was still starting ends when it finds its parent gone.
        deadline = time.monotonic() + 60
        while any(_is_running(side) for side in sides):
            self.assertLess(time.monotonic(), deadline, "processes are left")
            time.sleep(0.1)

    def wait_for_children(self, parent: int, count: int) -> list[int]:
        children = Path(f"/proc/{parent}/task/{parent}/children")
        deadline = time.monotonic() + 60
        found: list[int] = []
        while len(found) < count:
            self.assertLess(time.monotonic(), deadline, "the sides were not started")
            time.sleep(0.05)
            found = [int(child) for child in children.read_text().split()]
        return found
