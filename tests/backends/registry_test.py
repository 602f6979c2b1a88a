# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import os
import sys
import tempfile
import unittest
from importlib import invalidate_caches
from pathlib import Path
from unittest.mock import patch

from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.backends.registry import (
    BackendUnavailable,
    UnknownBackend,
    chosen_backend,
    known_backends,
    load_backend,
    open_backend,
)

ADDED = """
from tbp.monty.backends.builtin.reference import ReferenceBackend

class Abacus(ReferenceBackend):
    name = "abacus"

class Sold(ReferenceBackend):
    name = "sold"

    @staticmethod
    def unavailable():
        return "it was sold; buy another"

class Faulty(ReferenceBackend):
    @staticmethod
    def unavailable():
        raise OSError("the driver answers nonsense")

class Unfinished:
    name = "unfinished"
"""

ENTRY_POINTS = """
[tbp.monty.backends]
abacus = added_backends:Abacus
sold = added_backends:Sold
broken = no_such_module:Backend
faulty = added_backends:Faulty
unfinished = added_backends:Unfinished
reference = added_backends:Abacus
"""


def install(
    case: unittest.TestCase, module: str, source: str, entry_points: str
) -> None:
    """Make a distribution of one module look installed to Python during a test."""
    folder = tempfile.TemporaryDirectory()
    case.addCleanup(folder.cleanup)
    site = Path(folder.name)
    (site / f"{module}.py").write_text(source)
    metadata = site / f"{module}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {module}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry_points)
    path = patch.object(sys, "path", [folder.name, *sys.path])
    path.start()
    case.addCleanup(path.stop)
    case.addCleanup(sys.modules.pop, module, None)
    invalidate_caches()


class ChoiceTest(unittest.TestCase):
    def chosen(self, variable: str, configured: str | None) -> str:
        with patch.dict(os.environ, MONTY_BACKEND=variable):
            return chosen_backend(configured)

    def test_the_default_is_reference(self) -> None:
        self.assertEqual(self.chosen("", None), "reference")

    def test_the_variable_comes_before_the_config(self) -> None:
        self.assertEqual(self.chosen("reference", "no_such"), "reference")
        with self.assertRaisesRegex(UnknownBackend, "'no_such'"):
            self.chosen("", "no_such")

    def test_an_unknown_name_lists_the_known_and_suggests_the_nearest(self) -> None:
        with self.assertRaisesRegex(
            UnknownBackend,
            "'refrence' in MONTY_BACKEND.*known are .*reference.*did you ",
        ):
            self.chosen("refrence", None)

    def test_a_name_unlike_any_other_gets_no_suggestion(self) -> None:
        with self.assertRaises(UnknownBackend) as caught:
            self.chosen("", "zzz")
        self.assertNotIn("did you mean", str(caught.exception))


class OpenTest(unittest.TestCase):
    def test_a_backend_is_opened_by_its_name(self) -> None:
        with patch.dict(os.environ, MONTY_BACKEND=""):
            self.assertEqual(open_backend("numpy").name, "numpy")

    def test_an_open_backend_is_used_despite_the_environment(self) -> None:
        mine = ReferenceBackend()
        with patch.dict(os.environ, MONTY_BACKEND="numpy"):
            self.assertIs(open_backend(mine), mine)


class EntryPointsTest(unittest.TestCase):
    def setUp(self) -> None:
        install(self, "added_backends", ADDED, ENTRY_POINTS)

    def test_a_distribution_adds_a_backend(self) -> None:
        self.assertIn("abacus", known_backends())
        with patch.dict(os.environ, MONTY_BACKEND="abacus"):
            backend = load_backend(chosen_backend())
        self.assertEqual(backend.__name__, "Abacus")

    def test_a_distribution_cannot_replace_our_backends(self) -> None:
        self.assertEqual(load_backend("reference").__name__, "ReferenceBackend")

    def test_an_unavailable_backend_says_why_and_what_to_do(self) -> None:
        with self.assertRaisesRegex(BackendUnavailable, "'sold'.*buy another"):
            load_backend("sold")

    def test_a_failing_import_is_named_and_other_backends_load(self) -> None:
        with self.assertRaisesRegex(
            BackendUnavailable, "'broken'.*no_such_module:Backend.*install"
        ):
            load_backend("broken")
        load_backend("abacus")

    def test_a_faulty_backend_is_unavailable_and_its_fault_is_named(self) -> None:
        for name, fault in (
            ("faulty", "OSError: the driver answers nonsense"),
            ("unfinished", "has no attribute 'unavailable'"),
        ):
            with self.assertRaisesRegex(BackendUnavailable, f"{name!r}.*{fault}"):
                load_backend(name)
