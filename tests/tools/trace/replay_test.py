# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import os
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from monty_tools.parity.compare import Comparison, compare
from monty_tools.recording.file import (
    CorruptRecording,
    NewerRecording,
    Recording,
    RecordingWriter,
)
from monty_tools.recording.kinds import NotTrusted
from monty_tools.trace.replay import replay
from monty_tools.trace.results import TRACE, Results
from tests.tools.edited_files import edited
from tests.tools.trace.synthetic import EPISODES, LMS, trace_run

STEPS = 8


class ReplayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.traces = {}
        for updater in ("default", "burst_sampling"):
            cls.traces[updater] = Path(folder.name) / f"{updater}.trace.zip"
            trace_run(cls.traces[updater], updater, steps=STEPS)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def replayed(
        self, trace: Path, backend: str = "reference", within: float = 0.0
    ) -> Comparison:
        results = self.folder / "replayed.rec.zip"
        with (
            patch.dict(os.environ, MONTY_BACKEND=backend),
            Recording(trace, TRACE) as left,
        ):
            with RecordingWriter(results, {}) as writer:
                self.took = replay(left, Results(writer))
            with Recording(results) as right:
                return compare(left, right, within)

    def edited(self, trace: Path, edit: Callable[[dict], None]) -> Path:
        """Return a copy of a trace, with an edit applied to every event."""
        return edited(trace, self.folder / "edited.trace.zip", edit)

    def test_the_reference_does_the_same_to_the_last_bit(self) -> None:
        for updater, trace in self.traces.items():
            with self.subTest(updater):
                found = self.replayed(trace)
                self.assertIsNone(found.first_difference)
                self.assertEqual(found.episodes, EPISODES)
                self.assertEqual(found.steps, EPISODES * STEPS)
                self.assertGreater(found.updates, EPISODES * LMS)
                rows = {row.what: row.compared for row in found.rows}
                compared = EPISODES * STEPS * LMS
                self.assertEqual(rows["all hypotheses (digest)"], compared)

    def test_numba_does_the_same_within_rounding(self) -> None:
        for updater, trace in self.traces.items():
            with self.subTest(updater):
                found = self.replayed(trace, "numba", 1e-9)
                self.assertIsNone(found.first_difference)
                self.assertGreater(found.updates, EPISODES * LMS)
                self.assertIn("backend numba ran", self.took.ran_where)

    def test_an_exception_that_was_not_traced_is_no_result(self) -> None:
        def call_with_more(event: dict) -> None:
            if event.get("method") == "deal_with_time_out":
                event["kwargs"] = {"unknown": 1}

        with self.assertRaisesRegex(TypeError, "unknown"):
            self.replayed(self.edited(self.traces["default"], call_with_more))

    def test_percepts_are_traced_as_they_were_sensed(self) -> None:
        def prepare(monty: Any) -> None:
            step = monty._step_learning_modules

            def step_and_write(ctx: Any) -> None:
                step(ctx)
                for percept in monty.sensor_module_outputs:
                    percept.confidence = -1.0

            monty._step_learning_modules = step_and_write

        path = self.folder / "written.trace.zip"
        trace_run(path, "default", steps=2, prepare=prepare)
        with Recording(path, TRACE) as trace:
            percepts = [
                percept
                for event in map(trace.decode, trace.events())
                for percept in event.get("percepts", {}).values()
            ]
        self.assertEqual(len(percepts), EPISODES * 2 * LMS)
        self.assertNotIn(-1.0, [percept.confidence for percept in percepts])

    def test_votes_are_replayed(self) -> None:
        def do_not_vote(event: dict) -> None:
            if event["event"] == "monty":
                event["arguments"]["lm_to_lm_vote_matrix"] = None

        found = self.replayed(self.edited(self.traces["default"], do_not_vote))
        self.assertFalse(found.equal)

    def test_a_spoiled_result_is_found_and_named(self) -> None:
        def spoil(event: dict) -> None:
            if event["event"] == "step" and (event["episode"], event["step"]) == (1, 4):
                best = event["lms"]["learning_module_2"]["most_likely"]
                best["evidence"]["$scalar"]["value"] += 1e-7

        trace = self.edited(self.traces["burst_sampling"], spoil)
        for backend, within in (("reference", 0.0), ("numba", 1e-9)):
            with self.subTest(backend):
                found = self.replayed(trace, backend, within).first_difference
                self.assertEqual((found.episode, found.step), (1, 4))
                self.assertEqual(found.lm, "learning_module_2")
                self.assertIn("evidence", found.field)
        self.assertTrue(self.replayed(trace, "numba", 1e-6).equal)

    def test_another_percept_gives_another_result(self) -> None:
        def move(event: dict) -> None:
            if event.get("method") == "step" and event["percepts"]:
                _, attributes = event["percepts"]["patch_0"]["$object"]
                attributes["location"]["$ndarray"]["data"][0] *= 1.001

        found = self.replayed(self.edited(self.traces["default"], move))
        self.assertEqual(found.first_difference.lm, "learning_module_0")

    def test_each_part_is_timed(self) -> None:
        self.replayed(self.traces["default"])
        self.assertEqual(len(self.took.seconds), EPISODES)
        for seconds in self.took.seconds:
            for part in ("learning modules", "votes", "resets"):
                self.assertGreater(seconds[part], 0)
            self.assertAlmostEqual(
                sum(s for part, s in seconds.items() if part not in ("whole", "CPU")),
                seconds["whole"],
            )

    def test_a_class_of_another_package_is_not_run(self) -> None:
        def name_another(event: dict) -> None:
            if event["event"] == "monty":
                event["match_criterion"] = {"_target_": "subprocess.Popen"}

        trace = self.edited(self.traces["default"], name_another)
        with self.assertRaisesRegex(NotTrusted, "--trust subprocess"):
            self.replayed(trace)

    def test_a_damaged_file_is_refused(self) -> None:
        content = bytearray(self.traces["default"].read_bytes())
        middle = len(content) // 3
        content[middle : middle + 200] = bytes(200)
        damaged = self.folder / "damaged.trace.zip"
        damaged.write_bytes(content)
        with self.assertRaisesRegex(CorruptRecording, "make the trace again"):
            self.replayed(damaged)
        damaged.write_bytes(content[:middle])
        with self.assertRaisesRegex(CorruptRecording, "cut off"):
            self.replayed(damaged)

    def test_a_newer_file_is_refused(self) -> None:
        newer = self.folder / "newer.trace.zip"
        with RecordingWriter(newer, {"format_version": 99}, TRACE):
            pass
        with self.assertRaisesRegex(NewerRecording, "version 99"):
            self.replayed(newer)
