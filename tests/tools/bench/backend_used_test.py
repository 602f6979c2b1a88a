# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest
from collections import Counter
from types import SimpleNamespace

from monty_tools.bench.backend_used import WrongBackend, check_backend


class BackendUsedTest(unittest.TestCase):
    def test_upstream_has_no_backend(self) -> None:
        check_backend(SimpleNamespace(), None)

    def test_the_requested_backend_is_accepted(self) -> None:
        backend = SimpleNamespace(name="numba", stepped_whole=Counter())
        check_backend(SimpleNamespace(backend=backend), "numba")

    def test_another_backend_is_an_error(self) -> None:
        for monty in (
            SimpleNamespace(),
            SimpleNamespace(backend=SimpleNamespace(name="reference")),
        ):
            with self.assertRaisesRegex(WrongBackend, "numba"):
                check_backend(monty, "numba")

    def test_steps_that_bypass_the_backend_are_an_error(self) -> None:
        backend = SimpleNamespace(name="numba", stepped_whole=Counter(LM_0=3))
        with self.assertRaisesRegex(WrongBackend, "LM_0"):
            check_backend(SimpleNamespace(backend=backend), "numba")
