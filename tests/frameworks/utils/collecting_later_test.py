# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import gc
import unittest

from tbp.monty.frameworks.models.monty_base import MontyBase
from tbp.monty.frameworks.utils.collecting_later import collecting_later


@collecting_later
def is_collecting(error: Exception | None = None) -> bool:
    """Say it."""
    if error is not None:
        raise error
    return gc.isenabled()


class CollectingLaterTest(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(gc.enable if gc.isenabled() else gc.disable)
        gc.enable()

    def test_nothing_is_collected_meanwhile_and_then_again(self) -> None:
        self.assertFalse(is_collecting())
        self.assertTrue(gc.isenabled())

    def test_also_after_an_error(self) -> None:
        with self.assertRaises(KeyError):
            is_collecting(KeyError())
        self.assertTrue(gc.isenabled())

    def test_a_collector_that_is_off_stays_off(self) -> None:
        gc.disable()
        self.assertFalse(is_collecting())
        self.assertFalse(gc.isenabled())

    def test_the_function_keeps_its_name(self) -> None:
        self.assertEqual(is_collecting.__doc__, "Say it.")
        self.assertEqual(MontyBase.step.__name__, "step")


if __name__ == "__main__":
    unittest.main()
