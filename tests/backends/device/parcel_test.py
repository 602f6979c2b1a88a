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
from unittest.mock import Mock

import numpy as np

from tbp.monty.backends.device.parcel import send_together
from tbp.monty.backends.device.structures import Structure


class FakeStream:
    """Keeps what is sent."""

    def __init__(self, real: type) -> None:
        self.real = np.dtype(real)
        self.memory = np.zeros(0, dtype=np.uint8)

    def allocate(self, nbytes: int, what: str):  # noqa: ARG002
        return Mock(address=1 << 40, nbytes=nbytes)

    def staging(self, nbytes: int):
        return np.full(nbytes, 0xA5, dtype=np.uint8)

    def send(self, address: int, staging) -> None:
        assert address == 1 << 40
        self.memory = staging

    def at(self, address: int, dtype, count: int):
        start = address - (1 << 40)
        return self.memory[start : start + count * np.dtype(dtype).itemsize].view(dtype)


class SendTogetherTest(unittest.TestCase):
    def test_arrays_are_where_their_addresses_say(self) -> None:
        arrays = {
            "flags": np.array([True, False, True]),
            "single": np.array([0.5, 1.5, 2.5], dtype=np.float32),
            "small": np.array([1, -2, 3], dtype=np.int8),
            "rows": np.arange(6.0).reshape(2, 3).T,
            "nothing": np.zeros((0, 3)),
            "numbers": [7, 8],
            "threshold": [0.25],
        }
        structure = Structure("Two", "", [("i64*", "rows, numbers"), ("i64", "count")])
        for real in (np.float64, np.float32):
            for described in (None, (structure, {"count": 5})):
                stream = FakeStream(real)
                sent, _ = send_together(stream, arrays, None, described)
                for name, values in arrays.items():
                    flat = np.ravel(values)
                    dtype = real if flat.dtype.kind == "f" else np.int64
                    found = stream.at(sent[name], dtype, len(flat))
                    np.testing.assert_array_equal(found, flat.astype(dtype))
                if described is not None:
                    fields = [sent["rows"], sent["numbers"], 5]
                    found = stream.at(sent["Two"], np.int64, 3)
                    np.testing.assert_array_equal(found, fields)

    def test_memory_is_used_again_if_there_is_enough(self) -> None:
        stream = FakeStream(np.float64)
        _, memory = send_together(stream, {"one": np.zeros(512)})
        self.assertIs(send_together(stream, {"one": np.ones(512)}, memory)[1], memory)
        more = send_together(stream, {"one": np.zeros(513)}, memory)[1]
        self.assertIsNot(more, memory)
        self.assertEqual(more.nbytes, 8192)


if __name__ == "__main__":
    unittest.main()
