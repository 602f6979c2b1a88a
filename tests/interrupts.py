# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Lets processes that a test starts be interrupted."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import unittest

__all__ = ["take_interrupts"]


def take_interrupts(test: unittest.TestCase) -> None:
    """Take interrupts until a test is over, in this process and those it starts.

    A shell that runs the tests in the background has interrupts ignored, and that is
    inherited.

    Args:
        test: The test.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    test.addCleanup(signal.signal, signal.SIGINT, before)
