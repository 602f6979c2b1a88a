# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from monty_tools.compare.suites import SUITES, NoSuite, experiments_of, is_name
from tbp.monty import __file__ as package

EXPERIMENTS = Path(package).parent / "conf" / "experiment"


class SuitesTest(unittest.TestCase):
    def test_the_release_has_their_experiments(self) -> None:
        for suite, names in SUITES.items():
            for name in names:
                with self.subTest(suite=suite, name=name):
                    self.assertTrue((EXPERIMENTS / f"{name}.yaml").is_file())
                    self.assertTrue(is_name(name))

    def test_suites_files_and_names_are_joined(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "mine.txt"
            file.write_text("b  # the second\n\n# none\na\n c \n")
            self.assertEqual(experiments_of([str(file)], ["a"]), ["a", "b", "c"])
            both = experiments_of(["ycb_77objs", "ycb_77objs"], [])
            self.assertEqual(both, [*SUITES["ycb_77objs"]])

    def test_no_suite(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            binary = Path(folder) / "binary"
            binary.write_bytes(b"\xff\xfe")
            for suite in ("ycb_11objs", folder, str(binary)):
                with self.assertRaisesRegex(NoSuite, "--list-suites"):
                    experiments_of([suite], [])
            (Path(folder) / "empty").write_text("# nothing\n")
            with self.assertRaisesRegex(NoSuite, "name an experiment"):
                experiments_of([f"{folder}/empty"], [])

    def test_names_are_no_paths_and_no_overrides(self) -> None:
        for name in ("test/eval_mujoco", "a", "base_77obj_dist_agent"):
            self.assertTrue(is_name(name))
        for name in (
            "",
            "..",
            "a/../b",
            "/a",
            "a//b",
            "a/",
            "a b",
            "a\nb",
            "~a",
            "a=b",
        ):
            self.assertFalse(is_name(name), name)
