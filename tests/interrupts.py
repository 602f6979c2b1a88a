# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes sure that processes which a test starts can be interrupted."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import unittest

__all__ = ["take_interrupts"]


def take_interrupts(test: unittest.TestCase) -> None:
    """Accept interrupts until a test ends, in this process and those it starts.

    A shell that runs the tests in the background makes them ignore interrupts, and
    child processes inherit that.

    Args:
        test: The test.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    test.addCleanup(signal.signal, signal.SIGINT, before)
