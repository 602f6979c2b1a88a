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
from typing import Any

import pytest

from tbp.monty.backends.builtin.auto import AutoBackend
from tbp.monty.backends.builtin.cuda import CudaBackend
from tbp.monty.backends.builtin.numba import NumbaBackend
from tests.backends.cuda.faults import ERRORS, Episode, FailingStream, Faults
from tests.backends.cuda.host_device import HostStream
from tests.backends.groups_test import KINDS

EVERY = 97
"""How many calls lie between two that fail where not all of them do."""


class FaultsTestCase(unittest.TestCase):
    """After a fault, all is as it was before; then the episode goes on as it would."""

    def make_stream(self) -> Any:
        return HostStream()

    def make_backend(self, faults: Faults) -> Any:
        backend = CudaBackend(lambda _: FailingStream(self.make_stream(), faults))
        self.addCleanup(backend.close)
        return backend

    def make_auto(self, faults: Faults) -> Any:
        test = self

        class Cuda(CudaBackend):
            def __init__(self) -> None:
                super().__init__(lambda _: FailingStream(test.make_stream(), faults))

        backend = AutoBackend([Cuda, NumbaBackend])
        self.addCleanup(backend.close)
        return backend

    def assert_faults_change_nothing(self, make: Any, every: int) -> None:
        injected = 0
        for kind in KINDS:
            faults = Faults()
            expected = Episode(make(faults), kind, faults).run()
            for error in ERRORS:
                for call in range(0, faults.calls, every):
                    with self.subTest(kind=kind, error=error.__name__, call=call):
                        failing = Faults(call, error)
                        Episode(make(failing), kind, failing).check(expected)
                        self.assertEqual(failing.injected, 1)
                        injected += 1
                        self.doCleanups()
        print(f"{injected} faults were injected into calls of a device")


class SomeFaultsTest(FaultsTestCase):
    def test_nothing_has_happened_after_a_fault(self) -> None:
        self.assert_faults_change_nothing(self.make_backend, EVERY)

    def test_auto_ends_equal_after_a_fault(self) -> None:
        self.assert_faults_change_nothing(self.make_auto, 2 * EVERY)


@pytest.mark.thorough
class AllFaultsTest(FaultsTestCase):
    def test_nothing_has_happened_after_any_fault(self) -> None:
        self.assert_faults_change_nothing(self.make_backend, 1)

    def test_auto_ends_equal_after_any_fault(self) -> None:
        self.assert_faults_change_nothing(self.make_auto, 1)


if __name__ == "__main__":
    unittest.main()
