# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Times runs of a Monty of a few lines, in real processes."""

from __future__ import annotations

import contextlib
import importlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import pytest

from monty_tools.bench import real_run
from monty_tools.bench.command import RUN
from monty_tools.ending import Ending
from monty_tools.guard import guarded
from monty_tools.opengl import ensure_headless_opengl
from monty_tools.recording.file import Recording, RecordingWriter
from monty_tools.refactor.upstream import obtain
from monty_tools.report.inputs import read_input
from monty_tools.workers.control import Job, run_jobs
from monty_tools.workers.sides import Paths, Run, side_named
from tests.tools.small_release import fork_first_on_path, write_release


class BenchRunTestCase(unittest.TestCase):
    paths: Paths

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.recording = self.folder / "run.rec.zip"

    def record(self, run: Run) -> None:
        run_jobs([Job(side_named("upstream", self.paths), run, self.recording)])

    def bench(self, *argv: str) -> tuple[int, str, str]:
        words = [f"--recording={self.recording}", *argv]
        with (
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as err,
        ):
            status = guarded("bench", lambda: RUN(words, self.paths))
        return status, out.getvalue(), err.getvalue()

    def rows(self, *argv: str) -> list[dict]:
        file = self.folder / "rows.json"
        status, self.out, err = self.bench(*argv, f"--json={file}")
        self.assertEqual(status, 0, err)
        return read_input(file).content["rows"]


class SmallRunTest(BenchRunTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        # All tests share one upstream and one recording of it.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.upstream = Path(folder.name) / "upstream"
        cls.recorded = Path(folder.name) / "run.rec.zip"
        write_release(cls.upstream)
        side = side_named("upstream", Paths(cls.upstream, cls.upstream, None))
        run_jobs([Job(side, Run("small"), cls.recorded)])

    def setUp(self) -> None:
        super().setUp()
        self.recording = self.recorded
        self.fork = self.folder / "fork"
        write_release(self.fork)
        self.paths = Paths(self.upstream, self.fork, None)
        fork_first_on_path(self, self.fork)

    def test_every_side_runs_in_every_round(self) -> None:
        upstream, fast = self.rows("--proposed=fast", "--rounds=2")
        self.assertEqual((upstream["backend"], fast["backend"]), ("upstream", "fast"))
        self.assertEqual(upstream["ratio"], 1)
        for row in (upstream, fast):
            self.assertEqual((row["episodes"], row["steps"]), (3, 12))
            self.assertEqual([len(run["times"]) for run in row["runs"]], [3, 3])
            self.assertGreater(row["seconds"]["whole"], 0)
            # The process has to import numpy, at least.
            self.assertGreater(row["start_s"], 0.05)
        self.assertRegex(self.out, r"(?m)^fast +\d+\.\d+ ")

    def test_a_limit_within_an_episode_is_kept_and_its_steps_are_timed(self) -> None:
        self.recording = self.folder / "limited.rec.zip"
        self.record(Run("small", steps=6))
        [row] = self.rows("--proposed=upstream", "--rounds=1")
        self.assertEqual((row["episodes"], row["steps"]), (1, 6))
        self.assertEqual(len(row["runs"][0]["times"]), 2)
        self.assertIsNone(row["first_episode_s"])

    def test_a_side_that_acts_differently_is_not_timed(self) -> None:
        write_release(self.fork, "FACTOR = 1.0 + 1e-7")
        status, out, err = self.bench("--proposed=fast")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, r"fast \(round 1\) diverged after 1 episodes.*expected")
        self.assertEqual(err.count("\n"), 1)

    def test_only_backends_other_than_reference_may_round_differently(self) -> None:
        write_release(self.fork, "FACTOR = 1.0 + 1e-12")
        self.rows("--proposed=fast", "--rounds=1")
        status, _, err = self.bench("--proposed=reference")
        self.assertEqual(status, 1)
        self.assertIn("reference (round 1) diverged", err)

    def test_state_is_not_read(self) -> None:
        write = self.folder / "timed.rec.zip"
        # Reading it would fail: it has a value that cannot be recorded.
        run = Run("small", ("+experiment.config.unknown=true",))
        job = Job(side_named("fast", self.paths), run, write, state=False)
        self.assertEqual(run_jobs([job]), [Ending.FINISHED])
        with Recording(write) as timed:
            counts = timed.manifest["counts"]
        self.assertEqual((counts["time"], counts["start"]), (3, 1))
        self.assertNotIn("step", counts)
        self.assertNotIn("episode", counts)

    def test_a_backend_that_cannot_run_is_named(self) -> None:
        status, _, err = self.bench("--proposed=broken")
        self.assertEqual(status, 2)
        self.assertIn("no such device", err)


class RefusedTest(BenchRunTestCase):
    paths = Paths(Path("upstream"), Path("fork"), None)

    def write(self, *events: dict, complete: bool = True) -> None:
        manifest = {
            "experiment": "small",
            "overrides": [],
            "limits": {"steps": None, "episodes": None},
            "side": "upstream",
        }
        writer = RecordingWriter(self.recording, manifest)
        for event in events:
            writer.add(event)
        writer.close(complete=complete)

    def end(self, steps: int) -> dict:
        return {"event": "end", "ending": "finished", "episodes": 1, "steps": steps}

    def assert_refused(self, word: str) -> None:
        status, out, err = self.bench()
        self.assertEqual((status, out), (2, ""))
        self.assertIn(word, err)
        self.assertEqual(err.count("\n"), 1)

    def test_a_missing_file(self) -> None:
        self.assert_refused("run.rec.zip")

    def test_a_file_of_another_kind(self) -> None:
        self.recording.write_text("no recording")
        self.assert_refused("is not a recorded run")

    def test_an_interrupted_recording(self) -> None:
        self.write(complete=False)
        self.assert_refused("interrupted")

    def test_a_recording_without_steps(self) -> None:
        self.write(self.end(steps=0))
        self.assert_refused("no steps")

    def test_an_interrupt_leaves_nothing(self) -> None:
        self.write(self.end(steps=1))
        with (
            mock.patch.object(real_run, "go", side_effect=KeyboardInterrupt),
            mock.patch.object(tempfile, "tempdir", str(self.folder)),
        ):
            status, out, err = self.bench("--proposed=upstream")
        self.assertEqual((status, out), (130, ""))
        self.assertIn("interrupted", err)
        self.assertEqual([*self.folder.iterdir()], [self.recording])


@pytest.mark.thorough
class MontyTest(BenchRunTestCase):
    def test_upstream_and_reference_run_the_same(self) -> None:
        problem = ensure_headless_opengl()
        if problem:
            self.skipTest(problem)
        fork = Path(importlib.import_module("tbp.monty").__file__).parents[2]
        self.paths = Paths(obtain().import_root, fork, None)
        run = Run("test/evidence_lm/evidence_mujoco", steps=5, shadows=False)
        self.record(run)
        upstream, reference = self.rows("--rounds=1")
        self.assertNotIn("+", upstream["version"])
        self.assertIn("+backends.", reference["version"])
        for row in (upstream, reference):
            self.assertEqual(row["steps"], 5)
            for part in ("sensor modules", "learning modules", "resets", "whole"):
                self.assertGreater(row["seconds"][part], 0)
            self.assertGreater(row["cpu_s"], 0)
