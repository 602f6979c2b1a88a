# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import importlib
import tempfile
import unittest
from pathlib import Path

import numpy as np

from monty_tools.compare.figures import (
    METRICS,
    PERFORMANCES,
    BadResults,
    figures_of,
    noted_time,
)
from tests.tools.compare.results_of_a_run import lm, write_stats

NAMES = [metric.name for metric in METRICS]


class FolderTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class FiguresTest(FolderTest):
    def values(self, *rows: tuple[object, ...]) -> list[float | None]:
        figures = figures_of(write_stats(self.folder, *rows), None)
        return [figures.values[name] for name in NAMES]

    def test_one_learning_module(self) -> None:
        found = self.values(
            lm("correct", 10.0, seconds=1.0, steps=20),
            lm("confused", seconds=2.0, steps=30),
            lm("correct_mlh", 20.0, seconds=3.0, steps=40),
            lm("confused_mlh", seconds=6.0, steps=50),
        )
        self.assertEqual(found, [50, 50, 35, 15, 12 / 60, 3, 4])

    def test_an_episode_is_as_good_as_its_strongest_learning_module(self) -> None:
        found = self.values(
            lm("time_out", seconds=1.0, steps=10),
            lm("correct", 8.0, seconds=3.0, steps=30, name="LM_1"),
            lm("no_match", seconds=5.0, steps=20),
            lm("correct_mlh", 9.0, seconds=4.0, steps=60, name="LM_1"),
        )
        # The steps are those of the last one, as upstream's episode statistics have it.
        self.assertEqual(found, [50, 0, 45, 8, 8 / 60, 4, 2])

    def test_rotation_errors_are_those_of_recognised_objects(self) -> None:
        self.assertIsNone(self.values(lm("no_match"))[3])

    def test_all_of_it_is_what_upstream_computes(self) -> None:
        # Upstream's parallel runner, whose figures are in upstream's tables.
        runner = importlib.import_module("tbp.monty.frameworks.run_parallel")
        rng = np.random.default_rng(1)
        episodes = [
            [
                lm(
                    performance,
                    *([rng.uniform(0, 90)] if "correct" in performance else [""]),
                    seconds=rng.uniform(1, 9),
                    steps=steps,
                    name=f"LM_{i}",
                )
                for i, performance in enumerate(rng.choice(PERFORMANCES, 3))
            ]
            for steps in rng.integers(3, 500, 40)
        ]
        logged = self.logged_by_upstream(episodes)
        overall = runner.get_overall_stats(logged)
        rows = [row for episode in episodes for row in episode]
        expected = [
            overall["overall/percent_correct"],
            overall["overall/percent_used_mlh_after_timeout"],
            overall["overall/avg_num_monty_matching_steps"],
            overall["overall/avg_rotation_error"],
            overall["overall/run_time"] / 60,
            overall["overall/avg_episode_run_time"],
            overall["overall/num_episodes"],
        ]
        np.testing.assert_allclose(self.values(*rows), expected, rtol=1e-12)

    def logged_by_upstream(self, episodes: list) -> dict[str, list]:
        """Return what upstream's logger says of each episode."""
        loggers = "tbp.monty.frameworks.loggers.graph_matching_loggers"
        modes = "tbp.monty.frameworks.experiments.mode"
        make = importlib.import_module(loggers).BasicGraphMatchingLogger
        mode = importlib.import_module(modes).ExperimentMode.EVAL
        logged: dict[str, list] = {}
        for rows in episodes:
            logger = make(handlers=[])  # one per episode, as each has its own process
            self.assertEqual(tuple(logger.performance_options), PERFORMANCES)
            logger.lms = [row[-1] for row in rows]
            stats = {
                row[-1]: {
                    "primary_performance": row[1],
                    "rotation_error": None if row[2] == "" else row[2],
                    "time": row[3],
                    "num_steps": 1,
                    "individual_ts_reached_at_step": None,
                    "individual_ts_rotation_error": None,
                    "symmetry_evidence": 0,
                    "episode_avg_prediction_error": 0.0,
                    "goal_states_attempted": 0,
                    "goal_state_achieved": 0,
                }
                for row in rows
            }
            logger.data["BASIC"][f"{mode}_stats"][0] = stats
            steps = rows[0][4]
            logger.update_overall_stats(mode, 0, steps, steps)
            found = logger.get_formatted_overall_stats(mode, 0)
            for key, value in found.items():
                logged.setdefault(key, []).append(value)
        return logged

    def test_the_time_that_a_parallel_runner_notes(self) -> None:
        write_stats(self.folder, lm("correct", 1.0, seconds=9.0))
        self.assertIsNone(noted_time(self.folder))
        log = self.folder / "parallel_log.txt"
        log.write_text("experiment: a\nnum_parallel: 2\ntotal_time: 30.5")
        noted = noted_time(self.folder)
        self.assertEqual(noted, 30.5)
        values = figures_of(self.folder, noted).values
        self.assertEqual(values["runtime (min)"], 30.5 / 60)
        for damaged in (b"total_time: soon", b"total_time: 1-1", b"\xff", b""):
            log.write_bytes(damaged)
            self.assertIsNone(noted_time(self.folder))


class BadResultsTest(FolderTest):
    def assert_bad(self, expected: str) -> None:
        with self.assertRaises(BadResults) as caught:
            figures_of(self.folder, None)
        self.assertIn("eval_stats.csv", str(caught.exception))
        self.assertIn(expected, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_missing(self) -> None:
        self.assert_bad("is missing")

    def test_damaged(self) -> None:
        path = self.folder / "eval_stats.csv"
        for content in (
            b"",
            b"\xff\xfe\x00\x80",
            b"some,other,columns\n1,2,3\n",
            b'"unclosed',
            b"\0" * 100,
        ):
            with self.subTest(content=content):
                path.write_bytes(content)
                self.assert_bad("cannot be read")

    def test_without_episodes(self) -> None:
        write_stats(self.folder)
        self.assert_bad("has no episodes")

    def test_unknown_words_and_numbers(self) -> None:
        write_stats(self.folder, lm("guessed"))
        self.assert_bad("cannot be read")
        write_stats(self.folder, lm("correct", "near"))
        self.assert_bad("cannot be read")

    def test_a_run_that_was_cut_off_in_an_episode(self) -> None:
        whole = (lm("correct", 1.0), lm("correct", 1.0, name="LM_1"))
        write_stats(self.folder, *whole, lm("correct", 1.0))
        self.assert_bad("an episode lacks")

    def test_numbers_that_are_none(self) -> None:
        for seconds in (float("nan"), float("inf")):
            write_stats(self.folder, lm("correct", 1.0, seconds=seconds))
            self.assert_bad("lacks steps or times")

    def test_a_folder_in_its_place(self) -> None:
        (self.folder / "eval_stats.csv").mkdir()
        self.assert_bad("cannot be read")
