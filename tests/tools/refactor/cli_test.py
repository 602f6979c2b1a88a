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
import errno
import io
import os
import subprocess
import sys
import unittest
from pathlib import Path
from unittest.mock import patch

import libcst as cst
import pytest

from monty_tools.refactor import cli, transaction
from monty_tools.refactor.failures import UpstreamUnavailable
from monty_tools.refactor.release_note import note_release
from monty_tools.refactor.series import PARTS, SERIES
from monty_tools.refactor.tree import Tree
from tests.tools.refactor.upstream_copy import UpstreamCopyTestCase, contents

MATCHING = "frameworks/models/graph_matching.py"
BASE = "frameworks/models/monty_base.py"
CORE = ("--part", "core")
"""Planning core takes a sixth of the time of planning all."""


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Run the command.

    Returns:
        Exit status, standard output, standard error.
    """
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main([str(argument) for argument in arguments])
    return status, out.getvalue(), err.getvalue()


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True)


class ListTest(unittest.TestCase):
    def test_prints_one_title_per_step_below_its_part(self) -> None:
        status, out, _ = run("list")
        self.assertEqual(status, 0)
        lines = iter(out.splitlines())
        number = 0
        for part, steps in PARTS.items():
            self.assertEqual(next(lines), part)
            for step in steps:
                number += 1
                self.assertEqual(next(lines), f"{number:2}  {step.title}")
        self.assertEqual(list(lines), [])

    def test_verbose_names_files_and_codemods(self) -> None:
        _, out, _ = run("list", "--verbose")
        self.assertIn(f"{MATCHING} MontyForGraphMatching: SplitStep", out)
        self.assertIn("+ frameworks/models/lm_groups.py", out)


class GuardTest(unittest.TestCase):
    def test_what_is_unexpected_is_one_line(self) -> None:
        with patch.object(cli, "make_plan", side_effect=ValueError("odd\nplan")):
            status, _, err = run("diff")
            said = "monty-refactor: ValueError: odd (--debug shows where)\n"
            self.assertEqual((status, err), (2, said))
            self.assertIn("in _diff", run("diff", "--debug")[2])

    def test_where_it_is_an_option_a_copy_of_upstream_is_advised(self) -> None:
        unavailable = UpstreamUnavailable("no network")
        with patch.object(cli, "obtain", side_effect=unavailable):
            status, _, err = run("diff")
        self.assertEqual(status, 2)
        self.assertIn("no network, or name a copy of upstream with --upstream", err)


class WholeSeriesTest(UpstreamCopyTestCase):
    """All checks share one tree, as applying all steps takes seconds."""

    def test_the_tree(self) -> None:
        before = contents(self.tree)
        status, self.out, _ = run("apply", self.tree)
        self.assertEqual(status, 0)
        self.applied = contents(self.tree)
        self.changed = {
            file for file in self.applied if self.applied[file] != before.get(file)
        }
        for check in (
            self.check_the_files_of_the_series_are_changed,
            self.check_the_files_of_the_series_need_nothing_else,
            self.check_a_second_run_has_nothing_to_do,
        ):
            with self.subTest(check.__name__):
                check()

    def check_the_files_of_the_series_are_changed(self) -> None:
        rewrites = {rewrite.file for step in SERIES for rewrite in step.rewrites}
        added = {file for step in SERIES for file in step.overlay}
        self.assertIn(f"{len(rewrites)} files rewritten, {len(added)} added", self.out)
        self.assertIn(f"by the {len(SERIES)} steps of the series", self.out)
        expected = {f"tbp/monty/{file}" for file in rewrites | added}
        self.assertEqual(self.changed, expected)

    def check_the_files_of_the_series_need_nothing_else(self) -> None:
        modules = [
            f"tbp.monty.{file[:-3].replace('/', '.')}"
            for step in SERIES
            for file in step.overlay
        ]
        script = (
            f"import importlib\n"
            f"for module in {modules}: importlib.import_module(module)\n"
            f"from tbp.monty import __file__ as imported\n"
            f"from tbp.monty.backends import registry\n"
            f"registry.open_backend().close()\n"
            f"print(imported, *registry.known_backends())\n"
        )
        environment = {k: v for k, v in os.environ.items() if k != "MONTY_BACKEND"}
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={
                **environment,
                "PYTHONPATH": str(self.tree),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        imported, *known = done.stdout.split()
        self.assertTrue(Path(imported).is_relative_to(self.tree), imported)
        self.assertEqual(known, ["reference"])

    def check_a_second_run_has_nothing_to_do(self) -> None:
        status, out, _ = run("apply", self.tree)
        self.assertEqual(status, 0)
        self.assertIn("nothing to do", out)
        self.assertEqual(contents(self.tree), self.applied)


class ApplyTest(UpstreamCopyTestCase):
    @pytest.mark.thorough
    def test_equal_input_gives_equal_bytes(self) -> None:
        other = self.copy("other")
        run("apply", self.tree)
        run("apply", other)
        self.assertEqual(contents(self.tree), contents(other))

    def test_out_writes_elsewhere(self) -> None:
        before = contents(self.tree)
        out = self.folder / "new" / "out"
        status, said, _ = run("apply", self.tree, *CORE, "--out", out)
        self.assertEqual(status, 0)
        self.assertIn(f"by the {len(PARTS['core'])} steps of core", said)
        self.assertEqual(contents(self.tree), before)
        run("apply", self.tree, *CORE)
        self.assertEqual(contents(self.tree), contents(out))

    def test_out_overwrites_nothing(self) -> None:
        out = self.folder / "out"
        out.mkdir()
        (out / "mine").write_text("precious")
        status, _, err = run("apply", self.tree, *CORE, "--out", out)
        self.assertEqual(status, 2)
        self.assertIn("not empty", err)
        self.assertEqual(contents(out), {"mine": b"precious"})

    def test_a_src_layout_and_crlf_line_endings_are_kept(self) -> None:
        (self.tree / "src").mkdir()
        (self.tree / "tbp").rename(self.tree / "src" / "tbp")
        file = self.tree / "src" / "tbp" / "monty" / BASE
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
        status, _, _ = run("apply", self.tree, *CORE)
        self.assertEqual(status, 0)
        text = file.read_bytes()
        self.assertIn(b"def step_learning_modules(\r\n", text)
        self.assertEqual(text.count(b"\n"), text.count(b"\r\n"))

    def test_mixed_line_endings_are_kept(self) -> None:
        file = self.file(BASE)
        first, second, rest = file.read_bytes().split(b"\n", 2)
        start = first + b"\n" + second + b"\r\n"
        file.write_bytes(start + rest)
        status, _, _ = run("apply", self.tree, *CORE)
        self.assertEqual(status, 0)
        text = file.read_bytes()
        self.assertIn(b"def step_learning_modules(\n", text)
        self.assertTrue(text.startswith(start))
        self.assertEqual(text.count(b"\r\n"), 1)

    def test_files_keep_their_mode(self) -> None:
        self.file(BASE).chmod(0o640)
        run("apply", self.tree, *CORE)
        self.assertEqual(self.file(BASE).stat().st_mode & 0o777, 0o640)


class FailureTest(UpstreamCopyTestCase):
    def assert_untouched(self, *expected: str, arguments: tuple = ()) -> None:
        before = contents(self.folder)
        status, _, err = run("apply", *(arguments or (self.tree,)), *CORE)
        self.assertNotEqual(status, 0)
        for text in expected:
            self.assertIn(text, err)
        self.assertEqual(contents(self.folder), before)

    def test_a_renamed_anchor_is_named_with_its_place(self) -> None:
        self.edit(MATCHING, "_set_stepwise_targets", "_set_targets_by_step")
        self.assert_untouched(
            "_set_stepwise_targets",
            f"tbp/monty/{MATCHING}",
            "MontyForGraphMatching",
            "refactor: split stepping",
        )

    def test_a_release_that_is_not_known_is_named_and_those_that_are(self) -> None:
        self.edit("__init__.py", '"0.55.0"', '"0.46.0"')
        self.edit(MATCHING, "_set_stepwise_targets", "_set_targets_by_step")
        self.assert_untouched("is tbp.monty 0.46.0", "0.54.0, 0.55.0", "looked for")
        _, _, err = run("series", self.tree, "--branch", "two-phase")
        self.assertIn("is tbp.monty 0.46.0", err)

    def test_the_fork_is_of_a_known_release(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as err:
            note_release(Tree(self.tree, self.tree, "0.55.0+backends.9"))
        self.assertEqual(err.getvalue(), "")

    def test_a_deleted_anchor_is_named_with_its_place(self) -> None:
        text = self.file(MATCHING).read_text("utf-8")
        start = text.index("    def _set_stepwise_targets")
        end = text.index("    def ", start + 8)
        self.file(MATCHING).write_text(text[:start] + text[end:], "utf-8")
        self.assert_untouched("_set_stepwise_targets", "MontyForGraphMatching")

    def test_a_missing_file_is_named(self) -> None:
        self.file("experiment/monty.py").unlink()
        self.assert_untouched("tbp/monty/experiment/monty.py")

    def test_a_tree_that_is_not_monty(self) -> None:
        (self.folder / "other").mkdir()
        self.assert_untouched("holds no tbp.monty", arguments=(self.folder / "other",))
        self.assert_untouched("is not a folder", arguments=(self.folder / "none",))

    def test_a_syntax_error_in_a_file_to_change(self) -> None:
        self.edit(MATCHING, "class GraphLM(", "class GraphLM((")
        self.assert_untouched(MATCHING, "not valid Python")

    def test_a_file_that_is_not_text(self) -> None:
        self.file(BASE).write_bytes(b"\xff\xfe")
        self.assert_untouched(BASE, "cannot read")

    def test_a_folder_where_a_file_should_be(self) -> None:
        self.file(BASE).unlink()
        self.file(BASE).mkdir()
        self.assert_untouched(BASE, "cannot read")

    def test_a_foreign_file_at_the_place_of_an_overlay_file(self) -> None:
        self.file("frameworks/models/lm_groups.py").write_text("mine = 1\n")
        self.assert_untouched("lm_groups.py is not ours")

    def test_a_result_that_does_not_compile(self) -> None:
        with patch.object(cst.Module, "code", "def broken(:"):
            self.assert_untouched("invalid")

    def test_a_full_disk_while_writing(self) -> None:
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = []

        def write(path: Path, text: str, mode_of: Path) -> None:
            path.write_text(text[:100])  # what a full disk leaves
            written.append(mode_of)
            if len(written) == 3:
                raise full

        with patch.object(transaction, "_write", write):
            self.assert_untouched("No space left")

    def test_a_failure_between_two_renames(self) -> None:
        rename = Path.rename
        renamed = []

        def fail_later(path: Path, target: Path) -> Path:
            renamed.append(path)
            if len(renamed) == 5:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return rename(path, target)

        with patch.object(Path, "rename", fail_later):
            self.assert_untouched("nothing was changed")

    def test_ctrl_c_while_planning(self) -> None:
        with patch.object(cli, "make_plan", side_effect=KeyboardInterrupt):
            self.assert_untouched("interrupted")

    def test_ctrl_c_while_writing(self) -> None:
        with patch.object(transaction, "_write", side_effect=KeyboardInterrupt):
            self.assert_untouched("interrupted")


class GitTest(UpstreamCopyTestCase):
    def setUp(self) -> None:
        super().setUp()
        git(self.tree, "init", "--quiet")
        git(self.tree, "add", ".")
        git(self.tree, "commit", "--quiet", "--message", "upstream")

    def test_a_clean_checkout_is_rewritten(self) -> None:
        self.assertEqual(run("apply", self.tree, *CORE)[0], 0)

    def test_uncommitted_changes_in_a_file_to_rewrite_are_kept(self) -> None:
        self.edit(BASE, "class MontyBase", "# a thought\nclass MontyBase")
        before = contents(self.tree)
        status, _, err = run("apply", self.tree, *CORE)
        self.assertEqual(status, 2)
        self.assertIn(f"tbp/monty/{BASE}", err)
        self.assertEqual(contents(self.tree), before)

        self.assertEqual(run("apply", self.tree, *CORE, "--force")[0], 0)
        self.assertIn("# a thought", self.file(BASE).read_text("utf-8"))

    def test_uncommitted_changes_elsewhere_do_not_matter(self) -> None:
        self.edit("path.py", "def monty", "# a thought\ndef monty")
        self.assertEqual(run("apply", self.tree, *CORE)[0], 0)


class DiffTest(UpstreamCopyTestCase):
    def test_shows_what_apply_does_and_git_can_apply_it(self) -> None:
        before = contents(self.tree)
        status, patch_text, _ = run("diff", self.tree, *CORE)
        self.assertEqual(status, 0)
        self.assertEqual(contents(self.tree), before)
        other = self.copy("other")
        subprocess.run(
            ["git", "apply", "-"], input=patch_text, text=True, cwd=other, check=True
        )
        run("apply", self.tree, *CORE)
        self.assertEqual(contents(other), contents(self.tree))
        self.assertIn("nothing to do", run("diff", self.tree, *CORE)[1])

    def test_shows_core_unless_told_otherwise(self) -> None:
        shown = run("diff", self.tree)[1]
        for part, steps in PARTS.items():
            for file in (file for step in steps for file in step.overlay):
                added = f"+++ b/tbp/monty/{file}" in shown
                self.assertEqual(added, part == "core", file)

    def test_color_when_asked_for(self) -> None:
        self.assertNotIn("\x1b[", run("diff", self.tree)[1])
        self.assertIn("\x1b[32m+", run("diff", self.tree, "--color", "always")[1])
