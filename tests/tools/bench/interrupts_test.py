# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import signal
import unittest

from monty_tools.bench.interrupts import interrupts_held
from tests.interrupts import take_interrupts


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
