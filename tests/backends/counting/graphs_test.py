# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Neighbour lists are counted on the host as kernels make them."""

from __future__ import annotations

import unittest

import numpy as np

from tbp.monty.backends.counting.graphs import masks_of
from tbp.monty.backends.device.graphs import DeviceGraphs
from tbp.monty.backends.device.layout import CELL
from tbp.monty.backends.tables.graphs import Graph, GraphTable, make_graph
from tests.backends.cuda.host_device import HostStream


class ReadingStream(HostStream):
    """Keeps what is read: the masks that `find_masks` has found."""

    def read(self, address: int, pitch: int, shape, dtype) -> np.ndarray:
        self.found = super().read(address, pitch, shape, dtype)
        return self.found.copy()


def graph_of(locations: np.ndarray, radius: float) -> Graph:
    count = len(locations)
    frames = np.tile(np.eye(3), (count, 1, 1))
    known = np.ones(count, dtype=bool)
    return make_graph("graph", locations, frames, known, np.zeros((count, 0)), radius)


class MasksTest(unittest.TestCase):
    def test_are_those_of_the_kernel(self) -> None:
        rng = np.random.default_rng(0)
        cloud = rng.uniform(size=(30, 3))
        cases = {
            "a cloud": (cloud, 0.2),
            "one cell": (cloud, 2.0),
            # Coarser cells than the radius asks for, and strays outside of them.
            "far strays": (np.vstack([cloud, [[40, 0, 0], [0, -70, 3]]]), 0.05),
            "one node": (np.ones((1, 3)), 0.1),
        }
        for name, (locations, radius) in cases.items():
            with self.subTest(name):
                graph, stream = graph_of(locations, radius), ReadingStream()
                DeviceGraphs(stream, GraphTable({"graph": graph}))
                expected = stream.found.view(CELL)["mask"].ravel()[:-1]
                np.testing.assert_array_equal(masks_of(graph), expected)


if __name__ == "__main__":
    unittest.main()
