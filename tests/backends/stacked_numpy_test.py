# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What `HostEngine` needs of an array library, by the example of numpy."""

from __future__ import annotations

import unittest
from functools import partial
from typing import ClassVar

from tbp.monty.backends.stacked.backend import StackedBackend
from tbp.monty.backends.tables.host_engine import HostEngine
from tests.backends import groups_test, stacked_numpy


class PlainBackend(StackedBackend):
    name: ClassVar[str] = "plain"

    def __init__(self) -> None:
        super().__init__(partial(HostEngine, stacked_numpy))

    @staticmethod
    def unavailable() -> str | None:
        return None


class InNumpy:
    """Runs the tests of `numba` with the functions of numpy."""

    def make_backend(self) -> PlainBackend:
        backend = PlainBackend()
        self.addCleanup(backend.close)
        return backend


class PlainSameBitsTest(InNumpy, groups_test.SameBitsTest):
    pass


class PlainFaultTest(InNumpy, groups_test.FaultTest):
    pass


if __name__ == "__main__":
    unittest.main()
