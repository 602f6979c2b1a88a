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

import numpy as np

from tbp.monty.backends.device.structures import Structure


class StructureTest(unittest.TestCase):
    def setUp(self) -> None:
        self.structure = Structure(
            "Mixed",
            "Fields of several sizes.",
            [
                ("unsigned char", "flag"),
                ("real[3]", "numbers"),
                ("const real*[2]", "sides", "addresses"),
                ("int", "count, other"),
            ],
            alignment=16,
        )

    def test_has_the_memory_layout_of_c(self) -> None:
        for real, offsets, size in (
            (np.float64, [0, 8, 32, 48, 52], 64),
            (np.float32, [0, 4, 16, 32, 36], 48),
        ):
            dtype = self.structure.dtype(real)
            fields = [dtype.fields[name] for name in self.structure.names]
            self.assertEqual([offset for _, offset in fields], offsets)
            self.assertEqual(dtype.itemsize, size)
            self.assertEqual(dtype["numbers"].base, real)

    def test_is_filled_with_all_of_its_fields_and_no_others(self) -> None:
        structure = Structure("Two", "", [("i64*[2]", "a"), ("i64", "b")])
        np.testing.assert_array_equal(structure.filled(dict(b=3, a=(1, 2))), [1, 2, 3])
        for wrong, values in (("b", dict(a=(1, 2))), ("c", dict(a=(1, 2), b=3, c=4))):
            with self.assertRaisesRegex(ValueError, f"missing or unknown: {wrong}$"):
                structure.filled(values)


if __name__ == "__main__":
    unittest.main()
