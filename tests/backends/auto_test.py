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
import io
import os
import unittest
from unittest.mock import patch

from tbp.monty.backends.builtin.auto import AutoBackend, by_priority
from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.backends.registry import chosen_backend, load_backend
from tbp.monty.cli import main
from tests.backends.registry_test import install
from tests.backends.works import work_that

GROUP = (0, 1)

ADDED = """
from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.backends.failures import CannotRun

class Fast(ReferenceBackend):
    name = "fast"
    summary = "faster than any other"
    priority = 900

    def dispatch(self, work):
        if work.lm_id == "large":
            raise CannotRun("it is too large")
        super().dispatch(work)

class Sold(ReferenceBackend):
    name = "sold"
    priority = 1000

    @staticmethod
    def unavailable():
        return "it was sold"

class Modest(ReferenceBackend):
    name = "modest"

class Faulty(ReferenceBackend):
    name = "faulty"
    priority = 2000

    @staticmethod
    def unavailable():
        raise OSError("the driver answers nonsense")

class Unfinished:
    priority = 3000

class Nameless:
    @staticmethod
    def unavailable():
        return None
"""


def run(backend, work) -> None:
    """Run a piece of work in a group of its own."""
    backend.dispatch(work)
    backend.launch(GROUP)
    backend.result(work)


ENTRY_POINTS = """
[tbp.monty.backends]
fast = auto_added:Fast
sold = auto_added:Sold
modest = auto_added:Modest
broken = no_such_module:Backend
faulty = auto_added:Faulty
unfinished = auto_added:Unfinished
nameless = auto_added:Nameless
"""


class InstalledBackendsTest(unittest.TestCase):
    def setUp(self) -> None:
        install(self, "auto_added", ADDED, ENTRY_POINTS)

    def test_available_backends_are_ordered_by_priority(self) -> None:
        with self.assertLogs("tbp.monty.backends.builtin.auto", "WARNING") as logged:
            names = [backend.name for backend in by_priority()]
        # An unavailable one is nothing to report; a fault is.
        for message, name in zip(
            logged.output, ("broken", "faulty", "unfinished"), strict=True
        ):
            self.assertIn(f"backend {name!r} is unavailable", message)
        self.assertEqual(names[0], "fast")
        self.assertIn("numba", names)
        # Unavailable, or without a priority of their own: it is not inherited.
        others = {
            "sold",
            "modest",
            "null",
            "auto",
            "reference",
        }
        self.assertTrue(others.isdisjoint(names))

    def test_auto_is_chosen_by_name_and_uses_the_best_backend(self) -> None:
        with patch.dict(os.environ, MONTY_BACKEND="auto"):
            backend = load_backend(chosen_backend())()
        self.addCleanup(backend.close)
        run(backend, work_that())
        self.assertEqual(backend.note(), "fast: LM_0 1")

    def test_work_the_best_backend_cannot_run_falls_back_to_reference(self) -> None:
        backend = AutoBackend()
        self.addCleanup(backend.close)
        with self.assertLogs("tbp.monty.backends.builtin.auto", "WARNING") as logged:
            for _ in range(3):
                run(backend, work_that(lm_id="large"))
        # numba cannot run it either: the work has no description.
        self.assertEqual(len(logged.output), 2)
        note = backend.note()
        self.assertIn("reference: large 3", note)
        self.assertIn("large moved from fast to numba: it is too large", note)
        self.assertIn(
            "large moved from numba to reference: the work has no description", note
        )

    def test_the_command_lists_all_backends(self) -> None:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            main(["backends"])
        listed = output.getvalue()
        for name in ("reference", "numba", "null", "auto", "fast", "sold"):
            self.assertRegex(listed, rf"(?m)^. {name} ")
        self.assertRegex(listed, "(?m)^. faulty .*the driver answers nonsense")
        self.assertRegex(listed, "(?m)^. unfinished .*has no attribute 'unavailable'")
        self.assertRegex(listed, "(?m)^. nameless .*has no attribute 'where'")


class AutoBackendTest(unittest.TestCase):
    def test_reference_is_always_the_last_fallback(self) -> None:
        backend = AutoBackend([])
        run(backend, work_that())
        self.assertEqual(backend.note(), "reference: LM_0 1")
        backend.close()

    def test_backends_open_on_first_use_and_close_with_auto(self) -> None:
        happened = []

        class Noted(ReferenceBackend):
            name = "noted"

            def __init__(self) -> None:
                super().__init__()
                happened.append("opened")

            def close(self) -> None:
                happened.append("closed")

        backend = AutoBackend([Noted])
        self.assertEqual(happened, [])
        run(backend, work_that())
        backend.close()
        backend.close()
        self.assertEqual(happened, ["opened", "closed"])

    def test_an_error_in_the_work_is_raised_by_its_result(self) -> None:
        def fail():
            raise LookupError("lost")

        backend = AutoBackend([])
        with self.assertRaisesRegex(LookupError, "lost"):
            run(backend, work_that(fail))

    def test_groups_reach_the_backend_and_its_note_is_passed_on(self) -> None:
        launched = []

        class Noted(ReferenceBackend):
            name = "noted"

            def launch(self, group) -> None:
                launched.append(group)

            def note(self) -> str:
                return f"{len(launched)} launch"

        backend = AutoBackend([Noted])
        self.addCleanup(backend.close)
        run(backend, work_that())
        self.assertEqual(launched, [GROUP])
        self.assertEqual(backend.note(), "noted: LM_0 1 (1 launch)")
