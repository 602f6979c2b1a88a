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
import signal
import unittest
from collections.abc import Callable

from monty_tools.ending import one_line
from monty_tools.guard import Failed, guarded, interrupts_held
from monty_tools.recording.fault import HarnessFault
from tests.interrupts import take_interrupts


def run(command: Callable[[], int], *, debug: bool = False) -> tuple[int, str]:
    with contextlib.redirect_stderr(io.StringIO()) as err:
        status = guarded("monty fly", command, debug=debug)
    return status, err.getvalue()


def failing(error: BaseException) -> Callable[[], int]:
    def command() -> int:
        raise error

    return command


def chained(inner: BaseException, *messages: str) -> BaseException:
    """Return an exception that was raised because of others."""
    for message in messages:
        outer = ValueError(message)
        outer.__cause__ = inner
        inner = outer
    return inner


class GuardedTest(unittest.TestCase):
    def test_a_status_is_passed_on(self) -> None:
        self.assertEqual(run(lambda: 1), (1, ""))

    def test_what_is_unexpected_is_one_line(self) -> None:
        for kind in (ValueError, HarnessFault, RecursionError):
            expected = f"monty fly: {kind.__name__}: no (--debug shows where)\n"
            self.assertEqual(run(failing(kind("no\nwings"))), (2, expected))

    def test_a_known_failure_says_what_it_has_to_say(self) -> None:
        known = Failed("no wings:\n  grow some")
        self.assertEqual(run(failing(known)), (2, f"monty fly: {known}\n"))
        full = OSError(28, "No space left on device", "sky")
        self.assertEqual(run(failing(full)), (2, f"monty fly: {full}\n"))

    def test_the_innermost_cause_is_named(self) -> None:
        missing = FileNotFoundError(2, "No such file or directory", "wings.json")
        for inner, shown in (
            (missing, str(missing)),
            (Failed("no wings"), "no wings"),
            (KeyError("wings"), "KeyError: 'wings'"),
            (AssertionError(), "AssertionError"),
        ):
            with self.subTest(inner=inner):
                outer = chained(inner, "cannot make", "Error in call to 'Bird':\nmore")
                said = f"ValueError: Error in call to 'Bird': {shown}"
                expected = f"monty fly: {said} (--debug shows where)\n"
                self.assertEqual(run(failing(outer)), (2, expected))
                self.assertEqual(one_line(outer), said)

    def test_a_cause_is_named_once(self) -> None:
        repeated = chained(KeyError("wings"), "cannot make: 'wings'")
        self.assertEqual(one_line(repeated), "ValueError: cannot make: 'wings'")

    def test_what_was_raised_while_failing_is_not_the_cause(self) -> None:
        try:
            try:
                raise Failed("no wings")
            finally:
                raise ValueError("cannot close")
        except ValueError as error:
            self.assertEqual(one_line(error), "ValueError: cannot close: no wings")
            error.__suppress_context__ = True
            self.assertEqual(one_line(error), "ValueError: cannot close")

    def test_debug_prints_the_traceback_too(self) -> None:
        status, said = run(failing(ValueError("no wings")), debug=True)
        self.assertEqual(status, 2)
        self.assertIn("Traceback", said)
        self.assertIn("in command", said)

    def test_interrupts_have_the_status_of_their_signal(self) -> None:
        self.assertEqual(
            run(failing(KeyboardInterrupt())), (130, "monty fly: interrupted\n")
        )

    def test_a_termination_cleans_up(self) -> None:
        cleaned = []

        def command() -> int:
            try:
                os.kill(os.getpid(), signal.SIGTERM)
                signal.pause()
            finally:
                cleaned.append(True)
            return 0

        before = signal.getsignal(signal.SIGTERM)
        self.assertEqual(run(command), (143, "monty fly: terminated\n"))
        self.assertTrue(cleaned)
        self.assertIs(signal.getsignal(signal.SIGTERM), before)

    def test_a_parser_may_end_the_process(self) -> None:
        with self.assertRaises(SystemExit):
            run(failing(SystemExit(2)))


class InterruptsHeldTest(unittest.TestCase):
    def setUp(self) -> None:
        take_interrupts(self)

    def test_an_interrupt_comes_at_the_end_of_the_block(self) -> None:
        done = []
        with self.assertRaises(KeyboardInterrupt), interrupts_held():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest of the block")
        self.assertEqual(done, ["the rest of the block"])

    def test_after_the_block_interrupts_are_as_before(self) -> None:
        with interrupts_held():
            pass
        with self.assertRaises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
