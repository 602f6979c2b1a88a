# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty trace` and `monty replay` on an upstream run with five voting modules."""

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
from unittest.mock import patch

import pytest

from monty_tools.report.inputs import read_input
from monty_tools.trace.command import TRACE_COMMAND
from tbp.monty.cli import main
from tbp.monty.cli.sides import paths
from tests.fork.parity_test import FIVE
from tests.interrupts import take_interrupts

EXPERIMENT, *OVERRIDES = FIVE


class CommandTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.trace = cls.folder / "five.trace.zip"
        with contextlib.redirect_stdout(io.StringIO()) as cls.printed:
            # The recording is the one that other tests compare with.
            status = TRACE_COMMAND(
                [
                    *(f"experiment={EXPERIMENT}", *OVERRIDES),
                    *("--episodes=:3", "--no-shadows", f"--out={cls.trace}"),
                ],
                paths=paths(upstream=True),
            )
        assert status == 0

    def monty(self, *argv: str) -> tuple[int, str]:
        output = io.StringIO()
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
            patch.dict(os.environ),
        ):
            os.environ.pop("MONTY_BACKEND", None)
            # MuJoCo refuses to be imported with a platform that it does not know.
            os.environ["MUJOCO_GL"] = "no such platform"
            try:
                status = main(argv)
            except SystemExit as stop:
                status = stop.code
        return status, output.getvalue()

    def test_the_trace_is_summarised(self) -> None:
        self.assertRegex(
            self.printed.getvalue(), r"0\.\d MiB, upstream, 3 episodes, \d+ steps, lim"
        )

    def test_reference_does_what_upstream_did_to_the_last_bit(self) -> None:
        result = self.folder / "reference.json"
        status, output = self.monty("replay", str(self.trace), f"--json={result}")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"equal: 3 episodes, \d+ steps, \d+ evidence updates")
        self.assertIn("backend reference ran", output)
        [side] = read_input(result).content["sides"]
        self.assertGreater(side["updates"], 5)
        self.assertEqual(side["times"]["episodes"], 3)
        for part in ("learning modules", "votes", "resets"):
            self.assertGreater(side["times"]["seconds"][part], 0)
        compared = {row["what"]: row["equal"] for row in side["rows"]}
        self.assertEqual(compared["long-term memory (digest)"], 3 * 5)

    def test_numba_beside_upstream(self) -> None:
        result = self.folder / "numba.json"
        status, output = self.monty(
            *("replay", str(self.trace), "--backend=numba", "--against=upstream"),
            *("--rounds=2", f"--json={result}"),
        )
        self.assertEqual(status, 0, output)
        for side in read_input(result).content["sides"]:
            self.assertEqual(len(side["times"]["rounds_s"]), 2)
        self.assertIn("quartiles", output)
        self.assertEqual(output.count("equal: 3 episodes"), 1)
        self.assertRegex(output, r"(?m)^upstream +[\d.]+")
        self.assertRegex(output, r"(?m)^fork \(numba\) +[\d.]+")
        self.assertIn("backend numba ran", output)

    @pytest.mark.thorough
    def test_a_backend_that_computes_nothing_is_different_or_only_timed(self) -> None:
        command = ("replay", str(self.trace), "--backend=null")
        status, output = self.monty(*command)
        self.assertEqual(status, 1)
        self.assertIn("first difference in episode", output)
        status, output = self.monty(*command, "--no-compare")
        self.assertEqual(status, 0, output)
        self.assertNotIn("compared", output)

    def test_an_existing_file_is_not_replaced(self) -> None:
        status, output = self.monty(
            "trace", f"experiment={EXPERIMENT}", f"--out={self.trace}"
        )
        self.assertEqual(status, 2)
        self.assertIn("--force", output)

    def test_files_that_are_no_trace_are_refused(self) -> None:
        other = self.folder / "other.trace.zip"
        for content, message in (
            (None, "No such file"),
            (b"hello", "is not a trace"),
            (self.trace.read_bytes()[:2000], "cut off"),
        ):
            with self.subTest(message):
                if content is not None:
                    other.write_bytes(content)
                status, output = self.monty("replay", str(other))
                self.assertEqual(status, 2)
                self.assertIn(message, output)

    def test_an_unknown_backend_is_refused(self) -> None:
        status, output = self.monty("replay", str(self.trace), "--backend=nmba")
        self.assertEqual(status, 2)
        self.assertIn("did you mean numba?", output)

    def test_an_interrupt_ends_the_replay(self) -> None:
        take_interrupts(self)
        running = subprocess.Popen(
            [
                *(sys.executable, "-m", "tbp.monty.cli", "replay"),
                *(str(self.trace), "--rounds=1000000"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(5)
        running.send_signal(signal.SIGINT)
        try:
            _, error = running.communicate(timeout=60)
        finally:
            running.kill()
        self.assertEqual(running.returncode, 130, error)
        self.assertIn("interrupted", error)
