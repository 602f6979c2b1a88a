# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The series as a branch of a git checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

from monty_tools.refactor import branch
from monty_tools.refactor.series import PARTS, SERIES
from monty_tools.refactor.transaction import write_all
from tests.tools.refactor.cli_test import run
from tests.tools.refactor.upstream_copy import UpstreamCopyTestCase, planned

MOST_CHANGED_LINES = 1100
"""In upstream's own files, over all steps."""


def git(folder: Path, *arguments: str | Path) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    return subprocess.run(
        ["git", "-C", folder, *identity, *arguments],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


class CheckoutTestCase(UpstreamCopyTestCase):
    """Gives each test a git checkout of the pinned release."""

    def setUp(self) -> None:
        super().setUp()
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "test"), ("EMAIL", "test@example.org"))
        }
        patched = patch.dict(os.environ, identity)
        patched.start()
        self.addCleanup(patched.stop)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "upstream")
        self.before = self.state()

    def git(self, *arguments: str | Path) -> str:
        return git(self.tree, *arguments)

    def state(self) -> list[str]:
        """Return what git knows of the checkout and its branches."""
        return [
            self.git("for-each-ref", "--format", "%(refname) %(objectname)"),
            self.git("symbolic-ref", "HEAD"),
            self.git("status", "--porcelain"),
            self.git("worktree", "list"),
            self.git("stash", "list"),
        ]


class SeriesTest(CheckoutTestCase):
    """All checks share one branch, as making it takes seconds."""

    def setUp(self) -> None:
        super().setUp()
        self.patches = self.folder / "made" / "patches"
        self.log = self.folder / "log"
        command = (
            f'{sys.executable} -c "import tbp.monty as m; print(m.__file__)" '
            f">>{self.log}; "
            f"git log -1 --format=%s >>{self.log}"
        )
        options = ["--part", "all", "--branch", "two-phase"]
        options += ["--patches", self.patches]
        self.status, self.out, self.err = run(
            "series", self.tree, *options, "--verify", command
        )

    def test_the_branch(self) -> None:
        self.assertEqual((self.status, self.err), (0, ""))
        for check in (
            self.check_commits,
            self.check_files,
            self.check_size,
            self.check_imports_of_tests,
            self.check_verification,
            self.check_the_checkout_is_untouched,
            self.check_patches_give_the_same_tree,
            self.check_the_second_time_there_is_nothing_to_do,
            self.check_it_is_what_apply_makes,
        ):
            with self.subTest(check.__name__):
                check()

    def check_commits(self) -> None:
        titles = self.git("log", "--reverse", "--format=%s", "main..two-phase")
        self.assertEqual(titles.splitlines(), [step.title for step in SERIES])
        bodies = self.git("log", "--format=%b", "main..two-phase")
        self.assertEqual(bodies.count("To check:"), len(SERIES))
        self.assertEqual(bodies.count("rewritten by codemods:"), len(SERIES))

    def check_files(self) -> None:
        changed = self.git("diff", "--name-only", "main", "two-phase").splitlines()
        rewritten = {r.file for step in SERIES for r in step.rewrites}
        overlay = {file for step in SERIES for file in step.overlay}
        tests = {f"tests/unit/{file}" for step in SERIES for file in step.tests}
        packages = {file for file in changed if file.endswith("__init__.py")}
        self.assertEqual(
            {*changed} - packages,
            {f"tbp/monty/{file}" for file in rewritten | overlay} - packages | tests,
        )
        self.assertIn("tests/unit/backends/__init__.py", packages)

    def check_size(self) -> None:
        by_part, by_step = (
            [[*map(int, figures)] for figures in re.findall(pattern, self.out)]
            for pattern in (
                r": (\d+) lines changed in existing files, (\d+) in .*, (\d+) of tests",
                r"(\d+) lines changed in \d+ existing files, (\d+) .*, (\d+) of tests",
            )
        )
        self.assertEqual(len(by_part), sum(map(bool, PARTS.values())))
        self.assertEqual(len(by_step), len(SERIES))
        totals = [*map(sum, zip(*by_part, strict=True))]
        self.assertEqual(totals, [*map(sum, zip(*by_step, strict=True))])
        self.assertLessEqual(totals[0], MOST_CHANGED_LINES)
        rows = self.git("diff", "--numstat", "main", "two-phase", "--", "tests")
        lines = sum(int(row.split()[0]) for row in rows.splitlines())
        self.assertEqual(totals[2], lines)

    def check_imports_of_tests(self) -> None:
        imports = self.git("grep", "-hE", "^(from|import) tests", "two-phase")
        self.assertTrue(imports)
        for line in imports.splitlines():
            module = line.split()[1].replace(".", "/")
            self.git("cat-file", "-e", f"two-phase:{module}.py")

    def check_verification(self) -> None:
        self.assertEqual(self.out.count("verified in"), len(SERIES))
        lines = self.log.read_text().splitlines()
        self.assertEqual(lines[1::2], [step.title for step in SERIES])
        (imported,) = {*lines[::2]}
        self.assertNotIn(str(self.tree), imported)

    def check_the_checkout_is_untouched(self) -> None:
        refs, *others = self.state()
        self.assertEqual(others, self.before[1:])
        self.assertIn(self.before[0], refs)

    def check_patches_give_the_same_tree(self) -> None:
        files = sorted(self.patches.iterdir())
        self.assertEqual(len(files), len(SERIES))
        self.git("switch", "--quiet", "--create", "by-mail")
        self.git("am", "--quiet", *files)
        self.assertEqual(self.git("diff", "--stat", "by-mail", "two-phase"), "")
        self.assertIn(f"patches in {self.patches}", self.out)

    def check_the_second_time_there_is_nothing_to_do(self) -> None:
        self.git("switch", "--quiet", "two-phase")
        before = self.state()
        # That all steps recognise what they did is checked with `apply`.
        status, out, _ = run("series", self.tree, "--branch", "again")
        self.assertEqual(status, 0)
        self.assertIn("nothing to do", out)
        self.assertEqual(self.state(), before)

    def check_it_is_what_apply_makes(self) -> None:
        self.git("switch", "--quiet", "main")
        write_all(self.tree, planned("perf").changes)
        self.git("add", "--all")
        self.assertEqual(self.git("diff", "--name-only", "two-phase", "--", "tbp"), "")


class PartTest(CheckoutTestCase):
    def test_the_branch_has_core_unless_told_otherwise(self) -> None:
        status, out, _ = run("series", self.tree, "--branch", "two-phase")
        self.assertEqual(status, 0)
        titles = self.git("log", "--reverse", "--format=%s", "main..two-phase")
        core = [step.title for step in PARTS["core"]]
        self.assertEqual(titles.splitlines(), core)
        self.assertIn(f"[{len(core)}/{len(core)}] {core[-1]}", out)
        self.assertIn("\ncore: ", out)
        self.assertNotIn("\nfork: ", out)


class RefusalTest(CheckoutTestCase):
    """After any failure, the checkout and its branches are unchanged."""

    def assert_untouched(self, reason: str, *options: str | Path) -> tuple[str, str]:
        status, out, err = run("series", self.tree, *options)
        self.assertEqual(status, 2)
        self.assertIn(reason, err)
        self.assertEqual(self.state(), self.before)
        return out, err

    def test_verify_stops_at_the_first_commit_that_fails(self) -> None:
        second = SERIES[1].title
        command = f"echo seen; test \"$(git log -1 --format=%s)\" != '{second}'"
        out, err = self.assert_untouched(
            "does not pass, no branch was made",
            *("--branch", "two-phase", "--verify", command),
        )
        self.assertIn(second, err)
        self.assertIn("    seen", err)
        self.assertEqual(out.count("verified in"), 1)

    def test_a_command_that_changes_the_tree_is_no_verification(self) -> None:
        command = "echo '# x' >> tbp/monty/__init__.py"
        self.assert_untouched(
            "changes files of the tree", "--branch", "two-phase", "--verify", command
        )

    def test_an_existing_branch_is_not_touched(self) -> None:
        self.git("branch", "two-phase")
        self.before = self.state()
        self.assert_untouched("has a branch two-phase already", "--branch", "two-phase")

    def test_uncommitted_changes(self) -> None:
        self.edit("path.py", "def monty", "# a thought\ndef monty")
        self.before = self.state()
        self.assert_untouched("uncommitted changes", "--branch", "two-phase")

    def test_a_missing_anchor(self) -> None:
        self.edit("experiment/monty.py", "ExperimentMonty", "TrialMonty")
        self.git("commit", "--quiet", "--all", "--message", "moved on")
        self.before = self.state()
        self.assert_untouched("looked for", "--branch", "two-phase")

    def test_ctrl_c(self) -> None:
        with patch.object(branch, "_measured", side_effect=KeyboardInterrupt):
            status, *_ = run("series", self.tree, "--branch", "two-phase")
        self.assertEqual(status, 130)
        self.assertEqual(self.state(), self.before)

    def test_patches_are_not_mixed_with_other_files(self) -> None:
        patches = self.folder / "patches"
        patches.mkdir()
        (patches / "mine.patch").touch()
        self.assert_untouched("exists and is not empty", "--patches", patches)

    def test_a_folder_without_git(self) -> None:
        status, _, err = run("series", self.copy("plain"), "--branch", "two-phase")
        self.assertEqual(status, 2)
        self.assertIn("git rev-parse failed", err)

    def test_neither_a_branch_nor_patches(self) -> None:
        self.assert_untouched("name a --branch")
