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
import weakref
from unittest.mock import patch

from tbp.monty.frameworks.utils.frozen_setup import freezing_setup, unfreezing_setup


class _Cyclic:
    def __init__(self) -> None:
        self.itself = self


@freezing_setup
def set_up(error: Exception | None = None) -> tuple[bool, _Cyclic]:
    """Make something."""
    if error is not None:
        raise error
    return gc.isenabled(), _Cyclic()


@unfreezing_setup
def close(error: Exception | None = None) -> None:
    """Close it."""
    if error is not None:
        raise error


class FrozenSetupTest(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(gc.enable if gc.isenabled() else gc.disable)
        self.addCleanup(close)
        gc.enable()
        gc.unfreeze()

    def test_what_was_made_is_collected_after_it_is_closed(self) -> None:
        is_collecting, made = set_up()
        self.assertFalse(is_collecting)
        self.assertTrue(gc.isenabled())
        reference = weakref.ref(made)
        del made
        gc.collect()
        self.assertIsNotNone(reference())
        close()
        gc.collect()
        self.assertIsNone(reference())

    def test_what_is_made_later_is_collected_meanwhile(self) -> None:
        set_up()
        reference = weakref.ref(_Cyclic())
        gc.collect()
        self.assertIsNone(reference())

    def test_errors_freeze_nothing_and_keep_nothing_frozen(self) -> None:
        with self.assertRaises(KeyError):
            set_up(KeyError())
        self.assertEqual(gc.get_freeze_count(), 0)
        set_up()
        with self.assertRaises(KeyError):
            close(KeyError())
        self.assertEqual(gc.get_freeze_count(), 0)

    def test_what_others_have_frozen_stays_so(self) -> None:
        gc.freeze()
        self.addCleanup(gc.unfreeze)
        frozen = gc.get_freeze_count()
        set_up()
        self.assertLessEqual(gc.get_freeze_count(), frozen)
        close()
        self.assertGreater(gc.get_freeze_count(), 0)

    def test_what_python_has_frozen_is_nobodys(self) -> None:
        with patch.object(gc, "get_freeze_count", return_value=375):
            set_up()
        self.assertGreater(gc.get_freeze_count(), 1_000)
        close()
        self.assertEqual(gc.get_freeze_count(), 0)

    def test_a_collector_that_is_off_freezes_nothing(self) -> None:
        gc.disable()
        set_up()
        self.assertEqual(gc.get_freeze_count(), 0)

    def test_functions_keep_their_names(self) -> None:
        self.assertEqual(
            (set_up.__name__, set_up.__doc__), ("set_up", "Make something.")
        )
        self.assertEqual((close.__name__, close.__doc__), ("close", "Close it."))


if __name__ == "__main__":
    unittest.main()
