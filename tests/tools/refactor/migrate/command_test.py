# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import json
import os
import signal
import subprocess
import sysconfig
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import pytest

from monty_tools.refactor.migrate.migration import migrate
from monty_tools.refactor.upstream import obtain
from tests.tools.refactor.migrate.cases_test import run

IMPORT = (
    "from tbp.monty.frameworks.models.evidence_matching.learning_module import (\n"
    "    EvidenceGraphLM,\n"
    ")\n"
)
BEFORE = f"""{IMPORT}

class CountingLM(EvidenceGraphLM):
    def matching_step(self, ctx, percepts):
        self.steps += 1
        super().matching_step(ctx, percepts)
"""
AFTER = BEFORE.replace("def matching_step", "def dispatch_matching_step").replace(
    "super().matching_step", "return super().dispatch_matching_step"
)


class CommandTestCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        return path


class CommandTest(CommandTestCase):
    def test_reports_for_people(self) -> None:
        path = self.file("lm.py", BEFORE)
        status, out, _ = run(self.folder)
        self.assertEqual(status, 0)
        self.assertEqual(path.read_text(), AFTER)
        self.assertIn(f"{path}:7: split-override: matching_step became", out)
        self.assertIn("1 files looked at, 1 changed, 0 places left", out)

    def test_what_stays_whole_is_listed_with_a_template(self) -> None:
        path = self.file("lm.py", BEFORE.replace("+= 1", "= percepts[0]"))
        status, out, _ = run("--json", path)
        self.assertEqual(status, 0)
        (left,) = json.loads(out)["works"]
        self.assertEqual((left["file"], left["rule"]), (str(path), "split-override"))
        self.assertEqual(left["line"], 7)
        self.assertIn("stays whole: `self.steps = percepts[0]` is", left["what"])
        _, out, _ = run(path)
        self.assertIn("works as it is:", out)
        self.assertIn("        def dispatch_matching_step(self, ctx, percepts):", out)

    def test_what_has_to_be_done_is_the_exit_status(self) -> None:
        path = self.file("lm.py", f"{IMPORT}updater.pre_step()\n")
        status, out, _ = run(path)
        self.assertEqual(status, 3)
        self.assertIn(f"left to do by hand:\n{path}:4: former-method: pre_step", out)
        self.assertIn("        def __enter__(self):\n            ...  #", out)

    def test_diff_writes_nothing(self) -> None:
        path = self.file("lm.py", BEFORE)
        status, out, _ = run("--diff", self.folder)
        self.assertEqual(status, 0)
        self.assertIn("+    def dispatch_matching_step", out)
        self.assertEqual(path.read_text(), BEFORE)

    def test_a_diff_for_programs_is_part_of_the_report(self) -> None:
        path = self.file("lm.py", BEFORE)
        status, out, _ = run("--diff", "--json", self.folder)
        self.assertEqual(status, 0)
        report = json.loads(out)
        self.assertEqual(report["changed_files"], [str(path)])
        self.assertIn("+    def dispatch_matching_step", report["diff"])
        self.assertEqual(path.read_text(), BEFORE)

    def test_keeps_line_ends_byte_order_marks_encodings_and_modes(self) -> None:
        odd = {
            "crlf.py": (BEFORE.replace("\n", "\r\n"), "utf-8"),
            "bom.py": ("\ufeff" + BEFORE, "utf-8"),
            "latin.py": (f"# -*- coding: latin-1 -*-\n# größer\n{BEFORE}", "latin-1"),
        }
        for name, (text, encoding) in odd.items():
            with self.subTest(name):
                path = self.file(name, text.encode(encoding))
                path.chmod(0o755)
                run(path)
                expected = text.replace("\r\n", "\n").replace(BEFORE, AFTER)
                if "\r\n" in text:
                    expected = expected.replace("\n", "\r\n")
                self.assertEqual(path.read_bytes(), expected.encode(encoding))
                self.assertEqual(path.stat().st_mode & 0o777, 0o755)

    def test_a_file_that_cannot_be_decoded_is_reported(self) -> None:
        path = self.file("lm.py", BEFORE.encode() + b"# \xff\n")
        status, out, _ = run(self.folder)
        self.assertEqual(status, 3)
        self.assertIn(f"{path}:1: not-parsed: cannot be read", out)

    def test_a_file_that_does_not_parse_does_not_stop_the_others(self) -> None:
        self.file("broken.py", "def matching_step(:\n")
        path = self.file("lm.py", BEFORE)
        status, out, _ = run(self.folder)
        self.assertEqual(status, 3)
        self.assertIn("broken.py:1: not-parsed: is not valid Python", out)
        self.assertEqual(path.read_text(), AFTER)

    def test_only_files_that_matter_affect_the_status(self) -> None:
        self.file("lm.py", BEFORE)
        self.file("python_2.py", "print 'pre_stepping'\n")
        self.file("latin.py", "# größer\n".encode("latin-1"))
        self.file("broken.ipynb", "{")
        self.file("empty.ipynb", "")
        self.assertEqual(run(self.folder)[0], 0)
        (self.folder / "lm.py").unlink()
        self.file("python_2.py", "def pre_step(self):\n    print 'stepping'\n")
        self.assertEqual(run(self.folder)[0], 0, "nothing in it mentions Monty")

    def test_hidden_folders_environments_and_links_are_skipped(self) -> None:
        self.file("project/env/pyvenv.cfg", "")
        self.file("project/conda/conda-meta/history", "")
        for name in (
            "env/lib/lm.py",
            "conda/lib/lm.py",
            "lib/site-packages/theirs/lm.py",
            ".tox/lm.py",
            "__pycache__/lm.py",
        ):
            self.file(f"project/{name}", BEFORE)
        outside = self.file("elsewhere/lm.py", BEFORE)
        (self.folder / "project/link.py").symlink_to(outside)
        _, out, _ = run(self.folder / "project")
        self.assertIn("0 files looked at, 0 changed", out)
        self.assertEqual(outside.read_text(), BEFORE)

    def test_what_git_ignores_is_skipped_unless_it_is_named(self) -> None:
        for name in ("made", "inner/made", "inner/kept"):
            self.file(f"{name}/lm.py", BEFORE)
        for name in (".", "inner"):
            subprocess.run(["git", "init", "-q", self.folder / name], check=True)
            self.file(f"{name}/.gitignore", "made/\n")
        _, out, _ = run("--force", self.folder)
        self.assertIn("1 files looked at, 1 changed", out)
        self.assertEqual((self.folder / "inner/kept/lm.py").read_text(), AFTER)
        self.assertEqual((self.folder / "made/lm.py").read_text(), BEFORE)
        _, out, _ = run(self.folder / "made")
        self.assertEqual((self.folder / "made/lm.py").read_text(), AFTER)

    def test_a_file_that_is_named_twice_is_migrated_once(self) -> None:
        path = self.file("lm.py", BEFORE)
        _, out, _ = run(self.folder, path)
        self.assertIn("1 files looked at, 1 changed", out)

    def test_uncommitted_changes_are_safe(self) -> None:
        path = self.file("lm.py", BEFORE)
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        status, _, err = run(self.folder)
        self.assertEqual(status, 2)
        self.assertIn("nothing was written", err)
        self.assertEqual(path.read_text(), BEFORE)
        self.assertEqual(run("--force", self.folder)[0], 0)
        self.assertEqual(path.read_text(), AFTER)

    def test_a_link_that_is_named_stays_a_link(self) -> None:
        path = self.file("lm.py", BEFORE)
        link = self.folder / "other" / "link.py"
        link.parent.mkdir()
        link.symlink_to("../lm.py")
        run(link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(path.read_text(), AFTER)

    def test_uncommitted_changes_behind_a_link_are_safe(self) -> None:
        path = self.file("checkout/lm.py", BEFORE)
        subprocess.run(["git", "init", "-q", path.parent], check=True)
        link = self.folder / "link.py"
        link.symlink_to(path)
        self.assertEqual(run(link)[0], 2)
        self.assertEqual(path.read_text(), BEFORE)

    def test_a_read_only_file_is_named_and_nothing_is_written(self) -> None:
        path, other = self.file("lm.py", BEFORE), self.file("other.py", BEFORE)
        path.chmod(0o444)
        status, _, err = run(self.folder)
        self.assertEqual(status, 2)
        self.assertIn(f"{path} is read-only, nothing was written", err)
        self.assertEqual([path.read_text(), other.read_text()], [BEFORE, BEFORE])

    def test_sigterm_while_writing_leaves_nothing_behind(self) -> None:
        paths = [self.file(name, BEFORE) for name in ("a.py", "b.py")]

        def stop(_file: int) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

        with patch.object(os, "fsync", stop):
            self.assertEqual(run(self.folder)[0], 128 + signal.SIGTERM)
        self.assertEqual(sorted(self.folder.iterdir()), paths)
        self.assertEqual([path.read_text() for path in paths], [BEFORE, BEFORE])

    def test_nothing_is_written_if_one_file_cannot_be(self) -> None:
        paths = [self.file(name, BEFORE) for name in ("a.py", "b.py")]

        def rename(self, target, real=Path.rename):
            if self.name.startswith("b.py"):
                raise OSError("the disk is on fire")
            return real(self, target)

        with patch.object(Path, "rename", rename):
            status, _, err = run(self.folder)
        self.assertEqual(status, 2)
        self.assertIn("on fire", err)
        self.assertEqual([path.read_text() for path in paths], [BEFORE, BEFORE])
        self.assertEqual(len([*self.folder.iterdir()]), 2)

    def test_a_missing_path_is_an_error(self) -> None:
        status, _, err = run(self.folder / "nowhere")
        self.assertEqual(status, 2)
        self.assertIn("nowhere does not exist", err)

    def test_an_unknown_rule_is_wrong_usage(self) -> None:
        with self.assertRaises(SystemExit) as caught:
            run("--disable", "no-such-rule", self.folder)
        self.assertEqual(caught.exception.code, 2)

    def test_help_lists_the_rules(self) -> None:
        with self.assertRaises(SystemExit):
            run("--help")

    def test_upstream_itself_is_only_read(self) -> None:
        root = obtain().import_root / "tbp"
        status, out, err = run("--diff", "--json", root)
        report = json.loads(out)
        self.assertEqual((status, report["files"]), (0, 0))
        self.assertEqual(report["monty"], [str(root / "monty")])
        self.assertIn("is Monty itself, and is not migrated: use apply or series", err)


class ForeignProjectsTest(CommandTestCase):
    @pytest.mark.thorough
    def test_five_thousand_files_of_others_stay_as_they_are(self) -> None:
        own = self.file("lm.py", BEFORE)  # so that the others are looked at, too
        folders = [
            one
            for one in sorted(Path(sysconfig.get_path("purelib")).iterdir())
            if one.is_dir() and one.name not in ("tbp", "monty_tools")
        ]
        migration = migrate([own, *folders])
        self.assertGreater(migration.files, 5000)
        # Its own is listed: its step might call any of so many functions.
        self.assertEqual([*migration.changed], [])
        self.assertIn(str(own), {one.file for one in migration.works})


class MontyInTheTreeTest(CommandTestCase):
    """A fork of tbp.monty, or a copy of it, among the files of a project."""

    def setUp(self) -> None:
        super().setUp()
        self.models = "src/tbp/monty/frameworks/models"
        self.package = self.file("src/tbp/monty/__init__.py", "").parent
        texts = {
            "graph_matching": "class GraphLM:\n    def matching_step(self, ctx): ...\n",
            "evidence_matching/learning_module": (
                "from ..graph_matching import GraphLM\n"
                "class EvidenceGraphLM(GraphLM):\n"
                "    def matching_step(self, ctx, percepts):\n"
                "        super().matching_step(ctx)\n"
            ),
            "own": BEFORE + "class PlainLM(EvidenceGraphLM): ...\n",
        }
        self.of_monty = [
            self.file(f"{self.models}/{name}.py", text) for name, text in texts.items()
        ]
        self.before = [path.read_text() for path in self.of_monty]

    def test_it_is_not_edited_and_names_are_resolved_to_it(self) -> None:
        path = self.file("tests/lm.py", BEFORE)
        plain = self.file("tests/plain.py", self.derived_from("PlainLM"))
        status, out, err = run(self.folder)
        self.assertEqual((status, path.read_text()), (0, AFTER))
        self.assertIn("def dispatch_matching_step", plain.read_text())
        self.assertIn("2 files looked at, 2 changed", out)
        self.assertIn(f"{self.package} is Monty itself", err)
        self.assertEqual([path.read_text() for path in self.of_monty], self.before)

    def test_its_overrides_stay_whole(self) -> None:
        path = self.file("tests/lm.py", self.derived_from("CountingLM"))
        _, out, _ = run(self.folder)
        self.assertIn("stays whole: so does CountingLM.matching_step", out)
        self.assertNotIn("def dispatch", path.read_text())

    def test_it_is_not_edited_if_it_is_named(self) -> None:
        link = self.folder / "link.py"
        link.symlink_to(self.of_monty[-1])
        for path in (*self.of_monty, link):
            _, out, err = run(path)
            self.assertIn("0 files looked at, 0 changed", out)
            self.assertIn("use apply or series", err)
        self.assertEqual([path.read_text() for path in self.of_monty], self.before)

    def test_a_folder_of_that_name_is_no_package(self) -> None:
        path = self.file("tbp/monty/my_project/lm.py", BEFORE)
        run(path.parent)
        self.assertEqual(path.read_text(), AFTER)

    def derived_from(self, base: str) -> str:
        models = "tbp.monty.frameworks.models"
        text = BEFORE.replace("class CountingLM(EvidenceGraphLM)", f"class A({base})")
        return f"from {models}.own import {base}\n{text}"
