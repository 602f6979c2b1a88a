# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs the commands, worker processes included, on a Monty of a few lines."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from unittest.mock import patch

from monty_tools.guard import guarded
from monty_tools.parity.command import PARITY, RECORD
from monty_tools.report.inputs import read_input
from monty_tools.workers.sides import Paths
from tests.interrupts import take_interrupts
from tests.tools.edited_files import edited
from tests.tools.small_monty import small_monty
from tests.tools.small_release import fork_first_on_path, write_release


class CommandTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        # All tests share one upstream and one cache, so that they record it only once.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.upstream = Path(folder.name) / "upstream"
        cls.cache = Path(folder.name) / "cache"
        write_release(cls.upstream)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        fork = self.folder / "fork"
        write_release(fork)
        self.paths = Paths(self.upstream, fork, self.cache)
        fork_first_on_path(self, fork)

    def call(self, main, *argv: str) -> tuple[int, str, str]:
        with (
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as err,
        ):
            status = guarded("monty", lambda: main(argv, paths=self.paths))
        return status, out.getvalue(), err.getvalue()

    def parity(self, *argv: str) -> tuple[int, str, str]:
        return self.call(PARITY, *argv)

    def test_equal_sides_are_equal_and_upstream_is_recorded_once(self) -> None:
        self.paths = dataclasses.replace(self.paths, cache=self.folder / "cache")
        status, out, err = self.parity("experiment=small")
        self.assertEqual(status, 0, err)
        self.assertIn("equal: 3 episodes, 12 steps", out)
        [recording] = self.paths.cache.glob("*.rec.zip")
        made = recording.stat().st_mtime_ns
        self.assertEqual(self.parity("experiment=small")[0], 0)
        self.assertEqual(recording.stat().st_mtime_ns, made)

    def test_a_changed_fork_is_different_and_the_place_is_named(self) -> None:
        write_release(self.paths.fork_root, "FACTOR = 1.0000001")
        result = self.folder / "result.json"
        status, out, _ = self.parity("experiment=small", "--json", str(result))
        self.assertEqual(status, 1)
        self.assertIn("episode 1, step 0, LM_1: its evidence", out)
        data = read_input(result).content
        self.assertFalse(data["equal"])
        self.assertEqual(data["first_difference"]["lm"], "LM_1")
        self.assertEqual([side["side"] for side in data["sides"]], ["upstream", "fork"])

    def test_a_tolerance_allows_a_small_change_in_a_fed_run(self) -> None:
        write_release(self.paths.fork_root, "FACTOR = 1.0000001")
        argv = ("experiment=small", "--tolerance")
        self.assertEqual(self.parity(*argv, "1e-5")[0], 0)
        self.assertEqual(self.parity(*argv, "1e-9")[0], 1)

    def test_the_tolerance_is_that_of_the_backend(self) -> None:
        write_release(self.paths.fork_root, "FACTOR = 1.00000000001")
        configured = "+experiment.config.monty_config.backend=numba"
        for argv, status in (
            ((), 1),
            (("--proposed=reference",), 1),
            (("--proposed=numba",), 0),
            ((f"--proposed-override={configured}",), 0),
            ((f"--proposed-override={configured}", "--proposed=reference"), 1),
            (("--proposed=numba", "--tolerance=0"), 1),
            (("--proposed=numba", "--live"), 0),
        ):
            with self.subTest(argv):
                self.assertEqual(self.parity("experiment=small", *argv)[0], status)

    def test_a_recording_is_of_upstream_or_of_a_backend(self) -> None:
        argv = ("experiment=small", "--force", f"--out={self.folder / 'r.rec.zip'}")
        for side, name in (("upstream", "upstream"), ("numba", "fork (numba)")):
            status, out, err = self.call(RECORD, *argv, "--side", side)
            self.assertEqual(status, 0, err)
            self.assertIn(f"{name}, 3 episodes", out)

    def test_a_tolerance_compares_hypotheses_that_nothing_else_shows(self) -> None:
        write_release(self.paths.fork_root, "FACTOR = 1.0; FAINT = 2.000001")
        result = self.folder / "result.json"
        for how in ("--time", "--live"):
            with self.subTest(how):
                argv = ("experiment=small", how, "--json", str(result), "--tolerance")
                status, out, err = self.parity(*argv, "1e-9")
                self.assertEqual(status, 1, err)
                self.assertIn("step 0, LM_0: all hypotheses: evidence at ball[0]", out)
                data = json.loads(result.read_text())
                rows = {row["what"]: row for row in data["rows"]}
                row = rows["all hypotheses: evidence"]
                self.assertEqual((row["compared"], row["equal"]), (24, 0))
                self.assertAlmostEqual(row["largest"], 1e-6)
                self.assertEqual(rows["all hypotheses: possible"]["equal"], 24)
                status, out, err = self.parity(*argv, "1e-5")
                self.assertEqual(status, 0, out)

    def test_a_side_that_goes_on_alone_does_not_wait_for_the_other(self) -> None:
        self.paths = dataclasses.replace(self.paths, upstream_root=self.folder / "up")
        for root in (self.paths.upstream_root, self.paths.fork_root):
            # More hypotheses than fit into the pipe between the sides.
            write_release(root, "FACTOR = 1.0; HYPOTHESES = 50_000")
        argv = ("experiment=small", "--live", "--tolerance=1e-9")
        never, early = (f"experiment.config.raises_at={at}" for at in (-1, 5))
        for theirs, ours in ((never, early), (early, never)):
            with self.subTest(theirs):
                status, out, err = self.parity(
                    *argv, theirs, "--proposed-override", ours
                )
                self.assertEqual(status, 1, err)
                self.assertIn("episode 1, step 1: what happened next", out)

    def test_a_fed_run_does_not_use_the_simulator(self) -> None:
        simulator = self.paths.fork_root / "tbp/monty/simulators.py"
        simulator.write_text("raise ImportError('no OpenGL here')")
        self.assertEqual(self.parity("experiment=small")[0], 0)
        status, _, err = self.parity("experiment=small", "--live")
        self.assertEqual(status, 2)
        self.assertIn("no OpenGL here", err)

    def test_live_sides_and_limits(self) -> None:
        status, out, err = self.parity("experiment=small", "--live", "--steps", "5")
        self.assertEqual(status, 0, err)
        self.assertIn("1 episodes, 5 steps", out)
        self.assertIn("limit reached, in both", out)

    def test_the_same_exception_at_the_same_step_is_equal(self) -> None:
        override = "experiment.config.raises_at=6"
        status, out, _ = self.parity("experiment=small", override)
        self.assertEqual(status, 0)
        self.assertRegex(out, r"raised builtins.LookupError: lost at .*, in both")

    def test_a_fault_of_the_harness_on_both_sides_is_not_equal(self) -> None:
        status, out, err = self.parity(
            "experiment=small", "+experiment.config.unknown=true"
        )
        self.assertEqual((status, out), (2, ""))
        self.assertIn("cannot record a builtins.object", err)

    def test_against_the_reference_backend(self) -> None:
        self.paths = dataclasses.replace(self.paths, cache=self.folder / "cache")
        argv = ("experiment=small", "--baseline", "reference", "--proposed", "fast")
        status, _, err = self.parity(*argv, "--episodes", ":1")
        self.assertEqual(status, 0, err)
        self.assertFalse(self.paths.cache.exists())

    def test_a_recording_compares_any_two_sides_without_upstream(self) -> None:
        file = str(self.folder / "run.rec.zip")
        self.assertEqual(self.call(RECORD, "experiment=small", "--out", file)[0], 0)
        self.paths = Paths(None, self.paths.fork_root, None)
        # As on a machine that rounds differently.
        write_release(self.paths.fork_root, "FACTOR = 1.0000001")
        sides = ("--recording", file, "--baseline=reference", "--proposed=fast")
        self.assertEqual(self.parity(*sides, "--tolerance=1e-5")[0], 0)
        self.assertEqual(self.parity(*sides, "--tolerance=1e-9")[0], 1)
        write_release(self.paths.fork_root)
        self.assertEqual(self.parity(*sides, "--tolerance=0")[0], 0)

    def test_a_backend_that_cannot_run_is_no_difference(self) -> None:
        status, _, err = self.parity("experiment=small", "--proposed", "broken")
        self.assertEqual(status, 2)
        self.assertIn("fork (broken)", err)
        self.assertIn("no such device", err)

    def test_an_unknown_experiment_names_the_nearest(self) -> None:
        status, _, err = self.parity("experiment=smal")
        self.assertEqual(status, 2)
        self.assertIn("did you mean small?", err)

    def test_an_invalid_override_is_named(self) -> None:
        status, _, err = self.parity("experiment=small", "experiment.config.typo=1")
        self.assertEqual(status, 2)
        self.assertIn("typo", err)

    def test_sides_cannot_be_mixed_up(self) -> None:
        write_release(self.folder / "other")
        self.paths = dataclasses.replace(self.paths, fork_root=self.folder / "other")
        status, _, err = self.parity("experiment=small")
        self.assertEqual(status, 2)
        self.assertIn("imported from", err)

    def test_a_recording_can_be_made_and_compared_with(self) -> None:
        file = str(self.folder / "run.rec.zip")
        argv = ("experiment=small", "--episodes", ":2", "--out", file)
        status, out, _ = self.call(RECORD, *argv)
        self.assertEqual(status, 0)
        self.assertIn("upstream, 2 episodes, 8 steps, limit reached", out)
        status, _, err = self.call(RECORD, *argv)
        self.assertEqual(status, 2)
        self.assertIn("--force", err)
        self.assertEqual(self.call(RECORD, *argv, "--force")[0], 0)
        self.assertEqual(self.parity("--recording", file)[0], 0)
        status, _, err = self.parity("--recording", file, "--episodes", ":1")
        self.assertEqual(status, 2)
        self.assertIn("--episodes :2", err)

    def test_episodes_are_chosen_as_by_upstreams_parallel_runner(self) -> None:
        result = self.folder / "result.json"
        # The fork differs from the second episode on.
        write_release(self.paths.fork_root, "FACTOR = 1.0000001")
        for spec, status in ((":1", 0), ("0", 0), ("1", 1)):
            for more in ((), ("--live",)):
                with self.subTest(spec, more=more):
                    argv = ("experiment=small", "--episodes", spec, *more)
                    found, _, err = self.parity(*argv, "--json", str(result))
                    self.assertEqual(found, status, err)
                    if status == 0:
                        data = read_input(result).content
                        self.assertEqual(data["episodes"], 1)
        for spec in ("3", "2:9", "one"):
            status, _, err = self.parity("experiment=small", "--episodes", spec)
            self.assertEqual(status, 2)
            self.assertIn(f"--episodes {spec}, of its 3:", err)

    def test_the_progress_counts_up_to_the_limit(self) -> None:
        argv = ("experiment=small", "--out", str(self.folder / "r.rec.zip"), "--force")
        with patch("monty_tools.progress.SECONDS_BETWEEN_LINES", 0):
            _, _, unlimited = self.call(RECORD, *argv)
            _, _, limited = self.call(RECORD, *argv, "--episodes", ":1")
        self.assertIn(" 3 of 3 episodes", unlimited)
        self.assertIn(" 1 of 1 episodes", limited)

    def test_a_recording_of_a_run_that_raises_says_what_it_raised(self) -> None:
        override = "experiment.config.raises_at=6"
        argv = ("experiment=small", override, "--out", str(self.folder / "r.rec.zip"))
        status, out, _ = self.call(RECORD, *argv)
        self.assertEqual(status, 0)
        self.assertIn("1 episodes, 6 steps, raised builtins.LookupError: lost at", out)

    def test_a_recording_asks_only_for_what_a_file_may_ask_for(self) -> None:
        file, hostile = self.folder / "run.rec.zip", self.folder / "hostile.rec.zip"
        argv = ("experiment=small", "--episodes", ":1", "--out", str(file))
        self.assertEqual(self.call(RECORD, *argv)[0], 0)
        override = "+experiment.config.x='${monty.class:tbp.monty.attack.x}'"
        attack = self.paths.fork_root / "tbp/monty/attack.py"
        attack.write_text(f"open({str(self.folder / 'proof')!r}, 'w')")
        edited(file, hostile, manifest=lambda m: m.update(overrides=[override]))
        compare = ("--recording", str(hostile))
        status, _, err = self.parity(*compare)
        self.assertEqual(status, 2)
        self.assertEqual(len(err.splitlines()), 1)
        self.assertIn("${monty.class", err)
        self.assertIn("--trust", err)
        self.assertFalse((self.folder / "proof").exists())
        for trust in ((f"--trust={self.folder}",), ("experiment=small", override)):
            with patch.dict(os.environ):
                status, _, err = self.parity(*compare, *trust)
            self.assertEqual(status, 0, err)

    def test_timing_feeds_both_sides_from_a_recording(self) -> None:
        result = self.folder / "result.json"
        simulator = self.paths.fork_root / "tbp/monty/simulators.py"
        simulator.write_text("raise ImportError('no OpenGL here')")
        argv = ("experiment=small", "--time", "--json", str(result))
        status, out, err = self.parity(*argv)
        self.assertEqual(status, 0, err)
        self.assertIn("median episode", out)
        data = json.loads(result.read_text())
        self.assertEqual([side["fed"] for side in data["sides"]], [True, True])
        self.assertEqual([times["episodes"] for times in data["times"]], [3, 3])
        status, _, err = self.parity("experiment=small", "--time", "--live")
        self.assertEqual(status, 2)
        self.assertIn("--live", err)

    def test_an_interrupt_ends_all_processes_and_keeps_no_recording(self) -> None:
        take_interrupts(self)
        self.paths = dataclasses.replace(self.paths, cache=self.folder / "cache")
        running = self.folder / "running"
        for extra in ([], ["--live"]):
            running.mkdir()
            parent = subprocess.Popen(
                [
                    *small_monty("parity", self.paths),
                    *("experiment=small", "experiment.config.pause=5"),
                    *(f"experiment.config.tell_in={running}", *extra),
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            workers = self.wait_for_workers(running, 2 if extra else 1)
            parent.send_signal(signal.SIGINT)
            _, err = parent.communicate(timeout=30)
            self.assertEqual(parent.returncode, 130, err)
            self.assertIn("interrupted", err)
            for worker in workers:
                self.assertFalse(Path(f"/proc/{worker}").exists())
            shutil.rmtree(running)
        self.assertEqual(list(self.paths.cache.glob("*.rec.zip")), [])

    def wait_for_workers(self, running: Path, count: int) -> list[str]:
        """Returns the workers, once they have reported that they run."""
        if not Path("/proc/self/stat").exists():
            self.skipTest("looking for processes needs /proc")
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            workers = [file.name for file in running.iterdir()]
            if len(workers) == count:
                return workers
            time.sleep(0.1)
        raise AssertionError(f"expected {count} workers, not {workers}")
