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
from unittest.mock import Mock, patch

import numpy as np

from tbp.monty.backends.device.parcel import Parcel
from tbp.monty.backends.device.structures import Structure


class FakeStream:
    """Keeps what is sent."""

    def __init__(self, real: type) -> None:
        self.real = np.dtype(real)
        self.memory = np.zeros(0, dtype=np.uint8)

    def allocate(self, nbytes: int, what: str):  # noqa: ARG002
        return Mock(address=1 << 40, nbytes=nbytes)

    def send(self, address: int, data: bytes) -> None:
        assert address == 1 << 40
        self.memory = np.frombuffer(data, dtype=np.uint8)

    def at(self, address: int, dtype, count: int):
        start = address - (1 << 40)
        return self.memory[start : start + count * np.dtype(dtype).itemsize].view(dtype)


class ParcelTest(unittest.TestCase):
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
                sent = Parcel(stream).send(arrays, described)
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
        parcel = Parcel(FakeStream(np.float64))
        parcel.send({"one": np.zeros(512)})
        memory = parcel.memory
        parcel.send({"one": np.ones(500)})
        self.assertIs(parcel.memory, memory)
        parcel.send({"one": np.zeros(513)})
        self.assertIsNot(parcel.memory, memory)
        self.assertEqual(parcel.memory.nbytes, 8192)

    def test_what_is_sent_again_replaces_what_was_sent_before(self) -> None:
        stream, rng = FakeStream(np.float64), np.random.default_rng(0)
        structure = Structure("Two", "", [("i64*", "a, b"), ("i64", "count")])
        parcel = Parcel(stream)
        for _ in range(200):
            arrays = {
                name: rng.integers(0, 9, size=rng.integers(1, 3)).astype(
                    rng.choice(["i8", "f8", "?"])
                )
                for name in rng.permutation(["a", "b"])
            }
            count = int(rng.integers(0, 2))
            sent = parcel.send(arrays, (structure, {"count": count}))
            for name, values in arrays.items():
                dtype = np.float64 if values.dtype == np.float64 else np.int64
                found = stream.at(sent[name], dtype, len(values))
                np.testing.assert_array_equal(found, values)
            fields = stream.at(sent["Two"], np.int64, 3)
            self.assertEqual(fields.tolist(), [sent["a"], sent["b"], count])

    def test_nothing_is_lost_if_there_is_no_memory_for_more(self) -> None:
        stream = FakeStream(np.float64)
        parcel = Parcel(stream)
        before = dict(parcel.send({"one": np.ones(512)}))
        no_memory = patch.object(stream, "allocate", side_effect=MemoryError)
        with no_memory, self.assertRaises(MemoryError):
            parcel.send({"one": np.zeros(513)})
        self.assertEqual(parcel.send({"one": np.full(512, 2.0)}), before)
        found = stream.at(before["one"], np.float64, 512)
        np.testing.assert_array_equal(found, np.full(512, 2.0))


if __name__ == "__main__":
    unittest.main()
