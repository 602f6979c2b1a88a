# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Stored graphs on a device that is not there."""

from __future__ import annotations

from tbp.monty.backends.counting.stream import CountingStream
from tbp.monty.backends.device.graphs import DeviceGraphs
from tbp.monty.backends.tables.graphs import GraphTable

__all__ = ["CountingGraphs"]


class CountingGraphs(DeviceGraphs):
    """Takes the memory of graphs.

    Attributes:
        taken: How many bytes of the pool.
    """

    def __init__(self, stream: CountingStream, table: GraphTable, copies: int) -> None:
        """Count graphs.

        Args:
            stream: What counts.
            table: The graphs.
            copies: For how many graphs each of the table stands.
        """
        before, stream.copies = stream.pool.used, copies
        try:
            super().__init__(stream, table)
        finally:
            stream.copies = 1
        self.taken = stream.pool.used - before
