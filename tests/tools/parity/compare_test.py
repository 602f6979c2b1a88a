# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import math
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable

import numpy as np

from monty_tools.parity.compare import Comparison, compare
from monty_tools.recording.codec import Arrays, encode
from monty_tools.recording.file import Recording, RecordingWriter


def step(episode: int, number: int) -> dict[str, Any]:
    return {
        "event": "step",
        "episode": episode,
        "step": number,
        "step_type": "matching_step",
        "motor_only": False,
        "actions": [{"name": "turn_left", "degrees": 5.0}],
        "random_state": "r0",
        "lms": {
            name: {
                "most_likely": {
                    "graph_id": "mug",
                    "mlh_id": np.int64(7),
                    "location": np.array([0.1, 0.2, math.nan]),
                    "rotation": np.array([0.0, 0.0, 0.0, 1.0]),
                    "scale": 1,
                    "evidence": np.float64(2.5),
                },
                "hypotheses": {
                    "mug": {"count": 40, "max_evidence": 2.5, "digest": "d0"},
                    "bowl": {"count": 0, "max_evidence": None, "digest": "d1"},
                },
                "possible_matches": ["mug", "bowl"],
                "terminal_state": None,
            }
            for name in ("LM_0", "LM_1")
        },
    }


def episode(index: int) -> dict[str, Any]:
    return {
        "event": "episode",
        "index": index,
        "mode": "EVAL",
        "epoch": 0,
        "episode": index,
        "steps": 2,
        "target": {"object": "mug", "position": (0.0, 1.5, 0.0)},
        "counters": {"matching_steps": 2},
        "lms": {
            name: {
                "terminal_state": "match",
                "detected_object": "mug",
                "detected_pose": np.arange(7.0),
                "detected_rotation": np.array([0.0, 0.0, 0.0, 1.0]),
                "observations": 2,
                "processed_steps": [True, False],
                "stepwise_targets_list": ["mug", "mug"],
                "memory": "m0",
            }
            for name in ("LM_0", "LM_1")
        },
    }


END = {"event": "end", "ending": "finished", "episodes": 2, "steps": 4}


def nothing(_run: list[dict[str, Any]]) -> None:
    pass


def whole_run() -> list[dict[str, Any]]:
    return [
        step(0, 0),
        step(0, 1),
        episode(0),
        step(1, 0),
        step(1, 1),
        episode(1),
        dict(END),
    ]


class CompareTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def recording(self, name: str, events: list[dict[str, Any]]) -> Recording:
        path = self.folder / name
        with RecordingWriter(path, {}) as writer:
            for event in events:
                arrays = Arrays()
                writer.add(encode(event, arrays), arrays)
        recording = Recording(path)
        self.addCleanup(recording.close)
        return recording

    def compare(
        self,
        change: Callable[[list[dict[str, Any]]], Any],
        tolerance: float = 0.0,
        events: list[dict[str, Any]] | None = None,
        *,
        all_hypotheses: bool = False,
    ) -> Comparison:
        left = events or whole_run()
        right = copy.deepcopy(left)
        change(right)
        return compare(
            self.recording("left", left),
            self.recording("right", right),
            tolerance,
            all_hypotheses=all_hypotheses,
        )

    def assert_found(
        self,
        comparison: Comparison,
        field: str,
        episode: int,
        step: int | None,
        lm: str | None = None,
    ) -> None:
        found = comparison.first_difference
        self.assertIsNotNone(found)
        self.assertEqual(
            (found.field, found.episode, found.step, found.lm),
            (field, episode, step, lm),
        )

    def test_equal_runs(self) -> None:
        result = self.compare(nothing)
        self.assertTrue(result.equal)
        self.assertEqual((result.steps, result.episodes), (4, 2))
        self.assertEqual(result.ending, END)
        rows = {row.what: row for row in result.rows}
        self.assertEqual(rows["actions"].compared, 4)
        self.assertEqual(rows["its evidence"].compared, 8)
        self.assertEqual(rows["recognised object"].compared, 4)
        self.assertTrue(all(row.equal == row.compared for row in result.rows))

    def test_each_difference_of_a_step_is_found_and_located(self) -> None:
        cases = {
            "step number": ("step", 5),
            "step type": ("step_type", "exploratory_step"),
            "motor-only flag": ("motor_only", True),
            "actions": ("actions", []),
            "random state": ("random_state", "r1"),
        }
        for field, (key, value) in cases.items():
            with self.subTest(field):
                result = self.compare(lambda run, k=key, v=value: run[3].update({k: v}))
                self.assert_found(result, field, 1, 0)

    def test_each_difference_of_a_learning_module_is_found_and_located(self) -> None:
        def at(*keys: str) -> Callable[[list], dict]:
            def inside(run: list[dict[str, Any]]) -> dict[str, Any]:
                node = run[4]["lms"]["LM_1"]
                for key in keys:
                    node = node[key]
                return node

            return inside

        likely, mug = at("most_likely"), at("hypotheses", "mug")
        other = np.array([0.1, 0.2 + 1e-16, 0.3])
        cases = [
            ("most likely object", likely, "graph_id", "bowl"),
            ("most likely hypothesis", likely, "mlh_id", np.int64(8)),
            ("its location at [2]", likely, "location", np.array([0.1, 0.2, 0.3])),
            ("its rotation at shape", likely, "rotation", other),
            ("its scale", likely, "scale", 2),
            ("its evidence", likely, "evidence", np.float64(2.5000000000000004)),
            ("its evidence", likely, "evidence", np.float32(2.5)),
            ("hypotheses per object at mug", mug, "count", 41),
            ("highest evidence per object at mug", mug, "max_evidence", 2.6),
            ("hypotheses per object", at("hypotheses"), "cup", {"count": 1}),
            ("all hypotheses (digest) at mug", mug, "digest", "d9"),
            ("possible matches at [0]", at(), "possible_matches", ["bowl", "mug"]),
            ("terminal state", at(), "terminal_state", "match"),
        ]
        for field, where, key, value in cases:
            with self.subTest(field):
                result = self.compare(
                    lambda run, w=where, k=key, v=value: w(run).update({k: v})
                )
                self.assert_found(result, field, 1, 1, "LM_1")

    def test_each_difference_of_an_episode_is_found_and_located(self) -> None:
        cases = {
            "recognised object": ("detected_object", "bowl"),
            "recognised pose at [6]": ("detected_pose", np.arange(7.0) * [*[1] * 6, 2]),
            "recognised rotation at [0]": (
                "detected_rotation",
                np.array([-0.0, 0.0, 0.0, 1.0]),
            ),
            "episode terminal state": ("terminal_state", "time_out"),
            "observations in buffer": ("observations", 3),
            "processed steps at [1]": ("processed_steps", [True, True]),
            "stepwise targets": ("stepwise_targets_list", ["mug"]),
            "long-term memory (digest)": ("memory", "m1"),
        }
        for field, (key, value) in cases.items():
            with self.subTest(field):
                result = self.compare(
                    lambda run, k=key, v=value: run[2]["lms"]["LM_0"].update({k: v})
                )
                self.assert_found(result, field, 0, None, "LM_0")

    def test_the_order_of_objects_counts(self) -> None:
        def turn(run: list[dict[str, Any]]) -> None:
            objects = run[0]["lms"]["LM_0"]["hypotheses"]
            objects["mug"] = objects.pop("mug")

        for tolerance in (0.0, 1e-9):
            result = self.compare(turn, tolerance)
            self.assert_found(result, "hypotheses per object", 0, 0, "LM_0")

    def test_the_type_of_an_arrays_elements_counts_for_equal_bits(self) -> None:
        for size in (4, 40):  # in the event itself, and beside it
            run = whole_run()
            run[2]["lms"]["LM_0"]["detected_pose"] = np.zeros(size)
            place = "recognised pose at dtype"
            for dtype in (np.float32, np.int64):
                pose = {"detected_pose": np.zeros(size, dtype)}
                change = lambda run, p=pose: run[2]["lms"]["LM_0"].update(p)  # noqa: E731
                result = self.compare(change, events=run)
                self.assert_found(result, place, 0, None, "LM_0")
                result = self.compare(change, 1e-9, run)
                self.assertEqual(result.equal, dtype is np.float32)

    def test_a_difference_of_any_hypothesis_is_found_and_located(self) -> None:
        def checked(apart: dict[str, Any] | None) -> Callable[[list], None]:
            def change(run: list[dict[str, Any]]) -> None:
                for event in run:
                    for lm in event.get("lms", {}).values():
                        for one in lm.get("hypotheses", {}).values():
                            one["apart"] = {}
                mug = run[1]["lms"]["LM_1"]["hypotheses"]["mug"]
                if apart is None:
                    del mug["apart"]
                else:
                    mug["apart"] = apart

            return change

        found = {"equal": False, "largest": math.inf, "place": "[3][0]"}
        found.update(left=math.nan, right=1.0)
        within = {**found, "equal": True, "largest": 1e-10}
        for apart, place in (
            ({}, None),
            ({"poses": within}, None),
            ({"poses": found}, "all hypotheses: poses at mug[3][0]"),
            ({"possible": {**found, "place": "shape"}}, "possible at mug.shape"),
            (None, "all hypotheses: evidence at mug"),
        ):
            with self.subTest(apart=apart):
                result = self.compare(
                    checked(apart), 1e-9, whole_run(), all_hypotheses=True
                )
                self.assertEqual(result.equal, place is None)
                if place:
                    self.assertIn(place, str(result.first_difference))
                    self.assertIn(
                        "episode 0, step 1, LM_1", str(result.first_difference)
                    )

    def test_evidence_updates_are_counted(self) -> None:
        def rising(run: list[dict[str, Any]]) -> list[dict[str, Any]]:
            run[1]["lms"]["LM_0"]["hypotheses"]["mug"]["max_evidence"] = 3.5
            return run

        self.assertEqual(self.compare(nothing).updates, 0)
        self.assertEqual(self.compare(nothing, events=rising(whole_run())).updates, 1)

    def test_a_field_that_one_side_lacks_is_found(self) -> None:
        result = self.compare(lambda run: run[0]["lms"]["LM_0"].pop("most_likely"))
        self.assert_found(result, "most likely object", 0, 0, "LM_0")

    def test_the_first_difference_in_run_order_is_reported(self) -> None:
        def change(run: list[dict[str, Any]]) -> None:
            run[5]["lms"]["LM_0"]["detected_object"] = "bowl"
            run[1]["random_state"] = "r1"
            run[1]["lms"]["LM_1"]["most_likely"]["evidence"] = np.float64(3.5)

        result = self.compare(change)
        self.assert_found(result, "its evidence", 0, 1, "LM_1")
        rows = {row.what: row for row in result.rows}
        self.assertEqual(rows["its evidence"].equal, 7)
        self.assertEqual(rows["its evidence"].largest, 1.0)
        self.assertEqual(rows["recognised object"].equal, 3)

    def test_a_run_that_ended_earlier_is_different(self) -> None:
        def change(run: list[dict[str, Any]]) -> None:
            del run[4:6]
            run[-1].update(ending="diverged", steps=3, expected="a", found="b")

        result = self.compare(change)
        self.assert_found(result, "what happened next", 1, 1)
        self.assertEqual(result.first_difference.left, "one more step")
        self.assertEqual(result.first_difference.right["found"], "b")

    def test_runs_with_the_same_limit_are_equal(self) -> None:
        limited = [step(0, 0), {**END, "ending": "limit reached"}]
        self.assertTrue(self.compare(nothing, events=limited).equal)

    def test_runs_that_raise_alike_are_equal_and_say_so(self) -> None:
        raised = {**END, "ending": "raised", "type": "KeyError", "message": "'mug'"}
        result = self.compare(nothing, events=[step(0, 0), raised])
        self.assertTrue(result.equal)
        self.assertEqual(result.ending["message"], "'mug'")

    def test_runs_that_raise_differently_are_different(self) -> None:
        raised = {**END, "ending": "raised", "type": "KeyError", "message": "'mug'"}
        result = self.compare(
            lambda run: run[-1].update(message="'cup'"), events=[step(0, 0), raised]
        )
        self.assert_found(result, "end of the run", 0, None)

    def test_runs_cut_short_are_never_equal(self) -> None:
        # The recording is from another machine, and upstream itself leaves it here.
        diverged = {**END, "ending": "diverged", "expected": "a", "found": "b"}
        for events in ([step(0, 0)], [step(0, 0), diverged]):
            with self.subTest(events[-1]["event"]):
                result = self.compare(nothing, events=events)
                self.assert_found(result, "end of the run", 0, None)

    def test_a_tolerance_lets_floats_differ_by_that_much(self) -> None:
        def shift(by: float) -> Callable[[list[dict[str, Any]]], None]:
            def change(run: list[dict[str, Any]]) -> None:
                likely = run[0]["lms"]["LM_0"]["most_likely"]
                likely["location"] = likely["location"] + by
                likely["evidence"] = np.float32(2.5 + by)
                run[0]["actions"][0]["degrees"] += by

            return change

        result = self.compare(shift(1e-7), tolerance=1e-6)
        self.assertTrue(result.equal)
        largest = {row.what: row.largest for row in result.rows}["its location"]
        self.assertAlmostEqual(largest, 1e-7)
        result = self.compare(shift(1e-5), tolerance=1e-6)
        self.assert_found(result, "its location at [0]", 0, 0, "LM_0")
        result = self.compare(
            lambda run: run[0]["actions"][0].update(degrees=5.1), tolerance=1e-6
        )
        self.assert_found(result, "actions at [0].degrees", 0, 0)

    def test_a_tolerance_leaves_digests_and_random_states_out(self) -> None:
        def change(run: list[dict[str, Any]]) -> None:
            run[0]["random_state"] = "r1"
            run[0]["lms"]["LM_0"]["hypotheses"]["mug"]["digest"] = "d9"
            run[2]["lms"]["LM_0"]["memory"] = "m1"

        self.assertFalse(self.compare(change).equal)
        self.assertTrue(self.compare(change, tolerance=1e-9).equal)

    def test_a_tolerance_does_not_excuse_another_index_or_action(self) -> None:
        result = self.compare(
            lambda run: run[0]["lms"]["LM_0"]["most_likely"].update(mlh_id=np.int64(8)),
            tolerance=10.0,
        )
        self.assert_found(result, "most likely hypothesis", 0, 0, "LM_0")
        result = self.compare(
            lambda run: run[0]["actions"][0].update(name="turn_right"), tolerance=10.0
        )
        self.assert_found(result, "actions at [0].name", 0, 0)
