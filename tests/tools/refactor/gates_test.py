# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Upstream's gates, on small files and on the series."""

from __future__ import annotations

import shutil
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import pytest

from monty_tools.refactor import branch, step_tests
from monty_tools.refactor.branch import make_branch
from monty_tools.refactor.failures import GateUnavailable, NotMonty, VerifyFailed
from monty_tools.refactor.gates import Finding, ruff, syntax
from monty_tools.refactor.gates.mypy import Mypy
from monty_tools.refactor.gates.tools import obtain_tools, required
from monty_tools.refactor.plan import make_plan
from monty_tools.refactor.series import steps_through
from monty_tools.refactor.transaction import write_all
from monty_tools.refactor.tree import Tree
from monty_tools.refactor.upstream import obtain_sdist
from tests.tools.refactor.branch_test import CheckoutTestCase

PROPOSED = steps_through("core")


class SmallCheckoutTestCase(unittest.TestCase):
    """Gives each test an empty checkout."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.checkout = Path(folder.name)
        (self.checkout / "src").mkdir()
        (self.checkout / "pyproject.toml").write_text(
            "[project.optional-dependencies]\ndev = ['ruff==0.14.2', 'mypy==1.11.2']\n"
            "[tool.ruff.lint]\nselect = ['F401']\n[tool.mypy]\nmypy_path = 'src'\n"
        )

    def write(self, file: str, text: str) -> str:
        (self.checkout / file).write_text(text)
        return file


class VersionsTest(SmallCheckoutTestCase):
    def declared(self, *lines: str) -> list[str]:
        listed = "".join(f"    {line},\n" for line in lines)
        self.write("pyproject.toml", f"[project]\nname = 'small'\ndev = [\n{listed}]\n")
        return required(self.checkout)

    def test_those_of_the_checkout_are_used(self) -> None:
        self.assertEqual(
            self.declared(
                """'mypy==1.13.0;python_version=="3.8"'""",
                "'mypy-extensions==9'",
                "# 'ruff==0.1'",
                "'ruff;python_version>=\"3.9\"'",
                """'ruff==0.15.1;python_version=="3.8"'""",
                """'mypy;python_version>="3.9"'""",
            ),
            ["ruff==0.15.1", "mypy==1.13.0"],
        )
        self.assertEqual(
            self.declared('"ruff>=0.15, <0.16"', '"mypy"'),
            ["ruff>=0.15, <0.16", "mypy"],
        )

    def test_a_checkout_must_name_them(self) -> None:
        with self.assertRaisesRegex(GateUnavailable, "mypy"):
            self.declared("'ruff==0.15.1'")

    def test_upstreams_are_pinned(self) -> None:
        for one in required(obtain_sdist().folder):
            self.assertRegex(one, r"^(ruff|mypy)==[\d.]+$")


class SyntaxTest(SmallCheckoutTestCase):
    def test_newer_syntax_is_found(self) -> None:
        old = self.write("src/old.py", "if (a := 1):\n    pass\n")
        new = self.write("src/new.py", "match 1:\n    case 1:\n        pass\n")
        (found,) = syntax.findings(self.checkout, [old, new])
        self.assertEqual(found.file, new)


class RuffTest(SmallCheckoutTestCase):
    def test_findings_name_gate_and_file(self) -> None:
        good = self.write("src/good.py", "a = 1\n")
        unused = self.write("src/unused.py", "import os\n")
        ugly = self.write("src/ugly.py", "a=1\n")
        found = ruff.findings(
            obtain_tools(self.checkout), self.checkout, [good, unused, ugly]
        )
        self.assertEqual(
            [(one.gate, one.file) for one in found],
            [("ruff check", unused), ("ruff format", ugly)],
        )
        self.assertIn("F401", found[0].text)


class MypyTest(SmallCheckoutTestCase):
    def test_only_new_errors_count_on_any_line(self) -> None:
        wrong = "a: int = 'a'\n"
        self.write("src/other.py", "import one\n\nb: int = one.c()\n")
        self.write("src/one.py", f"{wrong}def c() -> int: return 1\n")
        cache = self.checkout / "cache"
        gate = Mypy(obtain_tools(self.checkout), self.checkout, cache)
        self.write("src/one.py", f"\n\n{wrong}def c() -> int: return 1\n")
        self.assertEqual(gate.new_findings(self.checkout), [])
        self.write("src/one.py", f"{wrong}{wrong}def c() -> str: return ''\n")
        found = gate.new_findings(self.checkout)
        self.assertIn("src/other.py", {one.file for one in found})
        self.assertIn("2: Name", {one.text[:7] for one in found})


class BranchTest(CheckoutTestCase):
    def test_a_finding_stops_the_series(self) -> None:
        finding = Finding("ruff check", "tbp/monty/path.py", "1:1: wrong")
        with patch.object(branch, "Gates") as gates:
            gates.return_value.findings.return_value = [finding]
            with self.assertRaises(VerifyFailed) as raised:
                make_branch(self.tree, "two-phase", series=PROPOSED, gated=PROPOSED)
        for text in (PROPOSED[0].title, str(finding), "no branch was made"):
            self.assertIn(text, str(raised.exception))
        self.assertEqual(self.state(), self.before)

    def test_only_the_commits_of_the_named_steps_have_to_pass(self) -> None:
        first, second = series = PROPOSED[:2]
        with patch.object(branch, "Gates") as gates:
            gates.return_value.findings.return_value = []
            commits = make_branch(self.tree, "two", series=series, gated=[first])
        self.assertEqual([one.title for one in commits], [first.title, second.title])
        ((_, files), _) = gates.return_value.findings.call_args_list[0]
        self.assertEqual(gates.return_value.findings.call_count, 1)
        for file in first.overlay:
            self.assertIn(f"tbp/monty/{file}", files)

    def test_a_checkout_without_configuration_is_refused(self) -> None:
        with self.assertRaisesRegex(NotMonty, "pyproject.toml"):
            make_branch(self.tree, "two-phase", series=PROPOSED, gated=PROPOSED)
        self.assertEqual(self.state(), self.before)


class SdistTestCase(CheckoutTestCase):
    """Gives each test a git checkout that has upstream's configuration."""

    def copy(self, name: str) -> Path:
        ignore = shutil.ignore_patterns("conf", "*.egg-info", "__pycache__")
        source = obtain_sdist().folder
        return Path(shutil.copytree(source, self.folder / name, ignore=ignore))


class SeriesTest(SdistTestCase):
    def test_what_is_proposed_passes_ruff_in_the_end(self) -> None:
        tree = Tree.at(self.tree)
        write_all(tree.import_root, make_plan(tree, PROPOSED).changes)
        for step in PROPOSED:
            write_all(self.tree, step_tests.tests_for_upstream(step, self.tree))
        self.git("add", "--all")
        files = self.git("diff", "--cached", "--name-only").splitlines()
        found = [
            *syntax.findings(self.tree, files),
            *ruff.findings(obtain_tools(self.tree), self.tree, files),
        ]
        self.assertFalse(found, "\n".join(map(str, found)))

    @pytest.mark.all_configs
    def test_each_commit_that_is_proposed_passes_all_gates(self) -> None:
        commits = make_branch(self.tree, "gated", series=PROPOSED, gated=PROPOSED)
        self.assertEqual(len(commits), len(PROPOSED))
