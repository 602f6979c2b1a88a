# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Tests that episodes are kept whole, and joined into the files of one run."""

from __future__ import annotations

import functools
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import pandas as pd

from monty_tools.guard import Failed
from monty_tools.parallel.joined import join, join_profiles, set_aside
from monty_tools.parallel.store import (
    LOG,
    Store,
    check_resumed,
    is_finished,
    opened_store,
)

RUN = {"experiment": "small", "backend": "numba"}


class FolderTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = Path(folder.name)


class StoreTest(FolderTest):
    def test_keeps_the_files_of_an_episode_all_or_none(self) -> None:
        files = {"a.csv": b"1", "below/b.json": b"2"}
        with opened_store(self.results, RUN, resume=False) as store:
            store.claim(RUN)
            store.begin("eval")
            with patch.object(Path, "rename", side_effect=OSError("disk is full")):
                self.assertRaises(OSError, store.keep, "eval", "one", files)
            self.assertFalse(store.of("eval", "one").exists())
            store.keep("eval", "one", files)
            self.assertTrue(store.of("eval", "one").exists())
            kept = store.of("eval", "one") / "below" / "b.json"
            self.assertEqual(kept.read_bytes(), b"2")

    def test_refuses_to_touch_a_run_that_did_not_finish(self) -> None:
        with opened_store(self.results, RUN, resume=False):
            pass  # nothing finished, so nothing is lost
        self.begin()
        with (
            self.assertRaisesRegex(Failed, "--resume goes on"),
            opened_store(self.results, RUN, resume=False),
        ):
            pass
        with opened_store(self.results, RUN, resume=True) as store:
            self.assertTrue(store.of("eval", "one").exists())

    def begin(self) -> None:
        with opened_store(self.results, RUN, resume=False) as store:
            store.claim(RUN)
            store.begin("eval")
            store.keep("eval", "one", {})

    def test_does_not_resume_another_run(self) -> None:
        other = {"experiment": "big", "backend": None}
        with opened_store(self.results, other, resume=True) as store:
            store.claim(RUN)  # there is nothing yet that could be another's
        for finish in (False, True):
            with self.subTest(is_finished=finish):
                if finish:
                    Store(self.results).finish("total_time: 1.5")
                    self.assertTrue(is_finished(self.results))
                else:
                    self.begin()
                check_resumed(self.results, RUN)
                says = "experiment 'small', not 'big'; backend 'numba', not None: run"
                with self.assertRaisesRegex(Failed, says):
                    check_resumed(self.results, other)
                with (
                    self.assertRaisesRegex(Failed, says),
                    opened_store(self.results, other, resume=True),
                ):
                    pass

    def test_does_not_resume_what_does_not_say_what_it_is(self) -> None:
        (self.results / LOG).write_text("num_parallel: 2")  # upstream writes it too
        check = functools.partial(check_resumed, self.results, RUN)
        self.assertRaisesRegex(Failed, "leave --resume out to run anew", check)
        for damaged in ("", "[]"):
            (self.results / "parallel_run.json").write_text(damaged)
            self.assertRaisesRegex(Failed, "no parallel_run.json that says", check)

    def test_results_that_another_runner_wrote_later_are_not_those_of_the_run(
        self,
    ) -> None:
        for finish in (False, True):
            with self.subTest(is_finished=finish):
                self.begin()
                if finish:
                    Store(self.results).finish("total_time: 1.5")
                (self.results / LOG).write_text("total_time: 1.75")
                self.assertFalse(is_finished(self.results))
                if finish:
                    with self.assertRaisesRegex(Failed, "of which run they are"):
                        check_resumed(self.results, RUN)
                else:
                    check_resumed(self.results, RUN)  # its episodes are there
                    shutil.rmtree(Store(self.results).folder)

    def test_a_claimed_folder_is_not_finished(self) -> None:
        self.begin()
        Store(self.results).finish("")
        self.assertTrue(is_finished(self.results))
        Store(self.results).claim(RUN)
        self.assertFalse(is_finished(self.results))

    def test_is_for_one_process_at_a_time(self) -> None:
        with (
            opened_store(self.results, RUN, resume=False),
            self.assertRaisesRegex(Failed, "another process"),
            opened_store(self.results, RUN, resume=True),
        ):
            pass


class JoinedTest(FolderTest):
    def episode(self, number: int, files: dict[str, str]) -> Path:
        folder = self.results / f"episode {number}"
        for name, text in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return folder

    def test_joins_rows_lines_and_files(self) -> None:
        episodes = [
            self.episode(
                number,
                {
                    "eval_stats.csv": table,
                    "log.txt": f"line {number}\n",
                    "detailed_run_stats.json": f"{number}\n",
                    "detailed_run_stats/episode_0.json": f"{number}",
                },
            )
            for number, table in enumerate(("a\n5\n", "a,b\n5,6\n"))
        ]
        for known in (episodes[:1], episodes):  # again, when a run goes on
            join(self.results, "eval", known)

        rows = pd.read_csv(self.results / "eval_stats.csv")
        self.assertEqual(list(rows.columns), ["a", "b"])
        self.assertEqual(list(rows["a"]), [5, 5])
        self.assertEqual(self.text("log.txt"), "line 0\nline 1\n")
        self.assertEqual(self.text("detailed_run_stats.json"), "0\n1\n")
        self.assertEqual(self.text("detailed_run_stats/episode_0.json"), "1")

    def test_joins_profiles_in_the_order_of_their_numbers(self) -> None:
        name = "profile/profile-eval_epoch_0_episode_{}.csv"
        files = {name.format(n): f"n\n{n}\n" for n in (10, 2)}
        episode = self.episode(0, {**files, "profile/profile-evaluate.csv": "n\n1\n"})
        join_profiles(self.results, "eval", [episode])

        episodes = pd.read_csv(self.results / "profile-evaluate_episodes.csv")
        self.assertEqual(list(episodes["n"]), [2, 10])
        whole = pd.read_csv(self.results / "profile-evaluate.csv")
        self.assertEqual(list(whole["n"]), [1])

    def test_sets_aside_what_an_earlier_run_wrote(self) -> None:
        (self.results / "eval_stats.csv").write_text("old")
        set_aside(self.results, "eval")
        join(self.results, "eval", [])
        self.assertEqual(self.text("eval_stats_old.csv"), "old")
        self.assertFalse((self.results / "eval_stats.csv").exists())

    def text(self, name: str) -> str:
        return (self.results / name).read_text()
