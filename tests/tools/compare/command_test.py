# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The command on folders of results, and on a side that only pretends to run."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import Mock, patch

from monty_tools.compare import command, runs, sources
from monty_tools.compare.runs import finish
from monty_tools.parallel import cluster
from monty_tools.refactor import upstream
from tbp.monty import __version__
from tbp.monty.cli import main
from tests.tools.compare.results_of_a_run import lm, write_stats


def monty(*arguments: str) -> tuple[int, str, str]:
    """Run ``monty compare`` in this process.

    Returns:
        The exit status, and what was printed to standard output and error.
    """
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(("compare", *arguments))
        except SystemExit as stop:
            status = stop.code
    return status, out.getvalue(), err.getvalue()


class CommandTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"

    def compare(self, *arguments: str) -> tuple[int, str, str]:
        return monty(*arguments, f"--out={self.out}")


class FoldersTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.left, self.right = self.folder / "left", self.folder / "right"
        self.sides = (f"--baseline={self.left}", f"--proposed={self.right}")
        for folder in (self.left, self.right):
            write_stats(folder / "test/one", lm("correct", 1.0), lm("confused"))
            write_stats(folder / "two", lm("correct_mlh", 5.0))

    def test_same_results(self) -> None:
        status, output, _ = self.compare("test/one", "two", *self.sides)
        self.assertEqual(status, 0, output)
        self.assertEqual(output.count("percent_correct (%)"), 2)
        self.assertNotIn("worse", output)

    def test_different_results(self) -> None:
        write_stats(self.right / "two", lm("confused_mlh"))
        status, output, _ = self.compare("test/one", "two", *self.sides)
        self.assertEqual(status, 1)
        self.assertRegex(output, r"percent_correct \(%\) +100 +0 +-100 +worse")

    def test_files_for_people_and_programs(self) -> None:
        files = self.folder / "table.md", self.folder / "table.json"
        status, _, _ = self.compare(
            "two", *self.sides, f"--markdown={files[0]}", f"--json={files[1]}"
        )
        self.assertEqual(status, 0)
        self.assertIn("### two", files[0].read_text("utf-8"))
        found = json.loads(files[1].read_text("utf-8"))
        self.assertEqual([one["name"] for one in found["experiments"]], ["two"])
        self.assertIn(str(self.left), found["baseline"])

    def test_missing_and_damaged_results_are_listed(self) -> None:
        (self.right / "two" / "eval_stats.csv").write_text("damaged")
        suite = self.folder / "suite"
        suite.write_text("test/one\ntwo\nthree\n../four\n")
        file = self.folder / "table.json"
        status, output, said = self.compare(
            f"--suite={suite}", *self.sides, f"--json={file}"
        )
        self.assertEqual(status, 0)
        left_out = {
            one["name"]: one["reason"]
            for one in json.loads(file.read_text("utf-8"))["left_out"]
        }
        self.assertEqual([*left_out], ["two", "three", "../four"])
        self.assertIn("eval_stats.csv cannot be read", left_out["two"])
        self.assertIn("eval_stats.csv is missing", left_out["three"])
        for name, reason in left_out.items():
            self.assertIn(f"left out: {name}: {reason}", said)
            self.assertIn(f"{name}: {reason}", output)

    def test_nothing_to_compare(self) -> None:
        status, _, said = self.compare("three", *self.sides)
        self.assertEqual(status, 2)
        self.assertTrue(
            said.endswith("monty compare: no experiment could be compared\n")
        )

    def test_a_folder_that_is_not_there(self) -> None:
        status, output, _ = self.compare("two", "--baseline=./none", self.sides[1])
        self.assertEqual(status, 2)
        self.assertIn("two: none/two/eval_stats.csv is missing", output)

    def test_overrides_for_a_folder_are_refused(self) -> None:
        status, _, said = self.compare("two", *self.sides, "--proposed-override=a=1")
        self.assertEqual(status, 2)
        self.assertIn("holds results already", said)

    def test_the_folder_of_a_single_run(self) -> None:
        sides = (f"--baseline={self.left}/two", f"--proposed={self.right}/two")
        status, output, _ = self.compare("anything", *sides)
        self.assertEqual(status, 0, output)
        self.assertEqual(self.compare("anything", "else", *sides)[0], 2)

    def test_neither_upstream_nor_a_place_for_results_is_needed(self) -> None:
        with patch.object(upstream, "obtain", side_effect=AssertionError):
            self.assertEqual(self.compare("two", *self.sides)[0], 0)
        self.assertFalse(self.out.exists())


class MisuseTest(CommandTest):
    def test_is_told_in_a_line(self) -> None:
        for arguments, expected in (
            ((), "name an experiment or a suite"),
            (("--suite=none",), "is no suite"),
            (("a", "--proposed=numbaa"), "did you mean numba?"),
            (("a", "--workers=0"), "0 is not 1 or more"),
            (("a", "--time-tolerance=-1"), "-1 is not 0 or more"),
            (("a", "--markdown=/none/table.md"), "cannot be written to"),
        ):
            with self.subTest(arguments=arguments):
                with patch.object(upstream, "obtain"):
                    status, _, said = self.compare(*arguments)
                self.assertEqual(status, 2)
                self.assertIn(expected, said)
                self.assertNotIn("Traceback", said)

    def test_suites_are_listed(self) -> None:
        status, output, _ = monty("--list-suites")
        self.assertEqual(status, 0)
        self.assertIn("ycb_77objs_mujoco\n  base_77obj_dist_agent_mujoco\n", output)


class RunsTest(CommandTest):
    """Runs that write results at once, to see what runs when."""

    def setUp(self) -> None:
        super().setUp()
        self.ran: list[str] = []
        self.results = {"fork (numpy)": "correct", "fork (reference)": "correct"}
        for owner, name, instead in (
            (command, "imported_ray", Mock()),
            (runs, "ask", self.ask),
            (sources, "run_in_parallel", self.run_in_parallel),
            (sources, "run_in_one_process", self.run_in_one_process),
        ):
            patched = patch.object(owner, name, instead)
            patched.start()
            self.addCleanup(patched.stop)

    def ask(self, _side: object, module: str, words: list[str]) -> list[dict]:
        self.assertEqual(module, "compare.check")
        names = words[words.index("--") + 1 :]
        return [
            {"reason": "needs habitat_sim"}
            if "habitat" in name
            else {"in_one_process": "serial" in name}
            for name in names
        ]

    def run_in_parallel(self, side, _paths, _asked, folder: Path, doing: str) -> float:
        self.ran.append(f"{doing} {side.name}")
        result = self.results[side.name]
        if isinstance(result, BaseException):
            raise result
        write_stats(folder, lm(result, 1.0))
        return 60.0

    def run_in_one_process(self, side, folder: Path, doing: str) -> None:
        finish(folder, self.run_in_parallel(side, None, None, folder, doing))

    def run_both(self, *arguments: str) -> tuple[int, str, str]:
        return self.compare("--baseline=reference", "--proposed=numpy", *arguments)

    def test_sides_run_in_turns_and_are_kept(self) -> None:
        status, output, _ = self.run_both("one", "two")
        self.assertEqual(status, 0, output)
        self.assertEqual(
            self.ran,
            [
                "1 of 2, one: fork (reference)",
                "1 of 2, one: fork (numpy)",
                "2 of 2, two: fork (reference)",
                "2 of 2, two: fork (numpy)",
            ],
        )
        self.assertIn(f"Baseline: fork (reference), tbp.monty {__version__}.", output)
        self.assertEqual(self.run_both("one", "two")[0], 0)
        self.assertEqual(len(self.ran), 4)

    def test_kept_results_serve_another_comparison(self) -> None:
        self.run_both("one")
        kept = f"--baseline={self.out}/baseline"
        other = f"--out={self.folder}/other"
        status, output, _ = monty("one", kept, "--proposed=numpy", other)
        self.assertEqual(status, 0)
        self.assertEqual(len(self.ran), 3)
        self.assertIn(f"baseline of fork (reference), tbp.monty {__version__}", output)

    def test_results_that_are_not_complete_are_not_compared(self) -> None:
        self.results["fork (numpy)"] = sources.Failed("it crashed")
        self.run_both("one")
        write_stats(self.out / "proposed" / "one", lm("correct", 1.0))
        kept = (f"--baseline={self.out}/baseline", f"--proposed={self.out}/proposed")
        status, output, _ = self.compare("one", *kept)
        self.assertEqual(status, 2)
        self.assertIn("proposed/one holds a run that has not finished", output)

    def test_another_run_does_not_replace_kept_results(self) -> None:
        self.run_both("one", "--workers=2")
        status, _, said = self.run_both("one", "--workers=3")
        self.assertEqual(status, 2)
        self.assertIn("at_a_time 2 instead of 3: choose another --out", said)
        status, _, said = self.run_both("one", "--workers=2", "--proposed-override=a=1")
        self.assertEqual(status, 2)
        self.assertIn("overrides () instead of ('a=1',)", said)
        self.assertEqual(len(self.ran), 2)

    def test_results_of_others_are_not_replaced(self) -> None:
        write_stats(self.out / "baseline" / "one", lm("correct", 1.0))
        status, _, said = self.run_both("one")
        self.assertEqual(status, 2)
        self.assertIn("holds other results", said)
        (self.out / "baseline/one/compare.json").write_text("damaged")
        status, _, said = self.run_both("one")
        self.assertEqual(status, 2)
        self.assertIn("compare.json is damaged", said)

    def test_damaged_notes_are_told_in_a_line(self) -> None:
        self.run_both("one")
        note = self.out / "baseline/one/compare.json"
        whole = json.loads(note.read_text("utf-8"))
        for damaged in (
            [],
            {**whole, "format_version": 2},
            {**whole, "asked": {"side": "upstream"}},
            {**whole, "seconds": "soon"},
            {**whole, "seconds": float("nan")},
        ):
            note.write_text(json.dumps(damaged))
            status, _, said = self.run_both("one")
            self.assertEqual(status, 2, damaged)
            self.assertRegex(said, r"compare\.json is (damaged|not of this version)")

    def test_without_ray_the_extra_is_named(self) -> None:
        with (
            patch.dict(sys.modules, ray=None),
            patch.dict(os.environ),
            patch.object(command, "imported_ray", cluster.imported_ray),
        ):
            status, output, said = self.run_both("one")
            self.assertEqual(status, 2)
            self.assertIn("tbp.monty[ray]", said)
            self.assertEqual(output, "")
            # One process needs no Ray.
            self.assertEqual(self.run_both("serial")[0], 0)

    def test_what_cannot_run_is_said_before_anything_runs(self) -> None:
        interrupt = {"side_effect": KeyboardInterrupt}
        with patch.object(sources, "run_in_parallel", **interrupt):
            status, output, said = self.run_both("one", "habitat_one")
        self.assertEqual(status, 130)
        self.assertIn("left out: habitat_one: needs habitat_sim", said)
        self.assertIn("habitat_one: needs habitat_sim", output)

    def test_a_failed_experiment_does_not_end_the_others(self) -> None:
        self.results["fork (numpy)"] = sources.Failed("fork (numpy): it crashed")
        status, output, _ = self.run_both("one", "two")
        self.assertEqual(status, 2)
        self.assertEqual(len(self.ran), 4)
        self.assertIn("two: fork (numpy): it crashed", output)
        self.results["fork (numpy)"] = "correct"
        status, output, _ = self.run_both("one", "two")
        self.assertEqual(status, 0)
        self.assertEqual(len(self.ran), 6)  # the baseline's results were kept
        # What the second attempt took is not what the run took.
        self.assertEqual(output.count("runtime: the sum of the episodes"), 2)

    def test_an_interrupt_keeps_what_was_compared(self) -> None:
        table = self.folder / "table.md"

        def run(*arguments: object) -> float:
            if "two" in arguments[-1]:
                raise KeyboardInterrupt
            return self.run_in_parallel(*arguments)

        with patch.object(sources, "run_in_parallel", run):
            status, output, _ = self.run_both("one", "two", f"--markdown={table}")
        self.assertEqual(status, 130)
        self.assertIn("two: the command was interrupted", output)
        text = table.read_text("utf-8")
        self.assertIn("### one", text)
        self.assertIn("the command was interrupted", text)

    def test_times_say_how_they_were_measured(self) -> None:
        for arguments, expected in (
            (("one", "--workers=2"), "up to 2 at a time"),
            (("two", "--workers=1"), "one by one"),
            (("serial", "--workers=2"), "one by one in one process"),
        ):
            self.assertIn(expected, self.run_both(*arguments)[1])
