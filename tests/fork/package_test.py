# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import platform
import runpy
import subprocess
import sys
import tempfile
import unittest
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from unittest.mock import patch

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from monty_tools.refactor.fork import FORK_REVISION
from monty_tools.refactor.layout import build_folder, checkout
from monty_tools.refactor.pin import PINNED
from monty_tools.refactor.upstream import obtain

VERSION = f"{PINNED.version}+backends.{FORK_REVISION}"
INFO = f"tbp_monty-{VERSION}.dist-info"


class WheelTest(unittest.TestCase):
    """Builds the package the way `pip install .` does."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"),
                *("--wheel-dir", folder.name, str(checkout())),
            ],
            check=True,
            stderr=subprocess.PIPE,
        )
        (wheel,) = Path(folder.name).glob("*.whl")
        cls.name = wheel.name
        with zipfile.ZipFile(wheel) as archive:
            cls.files = {name: archive.read(name) for name in archive.namelist()}
        cls.metadata = HeaderParser().parsestr(cls.files[f"{INFO}/METADATA"].decode())

    def test_has_upstreams_version_with_a_local_part(self) -> None:
        self.assertIn(VERSION, self.name)
        self.assertIn(VERSION, self.files["tbp/monty/__init__.py"].decode())

    def test_has_every_file_of_upstream_and_the_overlay(self) -> None:
        obtain()
        with zipfile.ZipFile(build_folder() / "upstream" / PINNED.wheel_name) as theirs:
            names = {n for n in theirs.namelist() if ".dist-info/" not in n}
        self.assertEqual(names - set(self.files), set())
        self.assertIn("tbp/monty/frameworks/models/lm_groups.py", self.files)
        self.assertIn("monty_tools/refactor/series.py", self.files)
        self.assertIn("tbp/monty/backends/cuda/kernels/evidence.cu", self.files)
        self.assertEqual([n for n in self.files if n.endswith(".pyc")], [])

    def test_has_both_licences(self) -> None:
        notices = [t for n, t in self.files.items() if f"{INFO}/licenses/" in n]
        self.assertEqual(len(notices), 2)
        self.assertIn(b"Thousand Brains Project", b"".join(notices))

    def test_allows_only_pythons_that_have_the_tested_libraries(self) -> None:
        allowed = SpecifierSet(self.metadata["Requires-Python"])
        minors = [minor for minor in range(30) if f"3.{minor}.0" in allowed]
        self.assertEqual(minors, [11, 12, 13])
        for line in (checkout() / "constraints.txt").read_text().splitlines():
            if not line.startswith("#"):
                self.assertIsNone(Requirement(line).marker, line)

    def test_another_python_is_refused_before_pip_looks_for_libraries(self) -> None:
        older = patch.object(platform, "python_version", return_value="3.10.13")
        with older, self.assertRaisesRegex(SystemExit, "needs Python .*3.10.13"):
            runpy.run_path(str(checkout() / "setup.py"))

    def test_has_both_commands(self) -> None:
        entry_points = self.files[f"{INFO}/entry_points.txt"].decode()
        self.assertIn("monty = tbp.monty.cli:main", entry_points)
        self.assertIn("monty-refactor = monty_tools.refactor.cli:main", entry_points)

    def test_requires_upstreams_dependencies_that_are_imported(self) -> None:
        required = self.required(self.metadata)
        (theirs,) = obtain().folder.glob("*.dist-info/METADATA")
        upstream = self.required(HeaderParser().parsestr(theirs.read_text("utf-8")))
        self.assertEqual(
            set(upstream) - set(required),
            {"torch-scatter", "torch-sparse", "opencv-python"},
        )
        self.assertEqual(set(required) - set(upstream), {"opencv-python-headless"})
        self.assertEqual(str(required["wandb"].specifier), "==0.24.2")

    def test_has_the_extras(self) -> None:
        self.assertEqual(
            set(self.metadata.get_all("Provides-Extra")),
            {
                "mujoco",
                "cpu",
                "cuda",
                "cuda12",
                "cuda13",
                "ray",
                "refactor",
                "report",
                "dev",
            },
        )

    def required(self, metadata) -> dict[str, Requirement]:
        found = map(Requirement, metadata.get_all("Requires-Dist"))
        return {r.name: r for r in found if "extra" not in str(r.marker or "")}
