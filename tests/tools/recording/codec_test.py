# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import json
import math
import struct
import subprocess
import sys
import unittest
from fractions import Fraction

import numpy as np
import quaternion
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from omegaconf import OmegaConf
from scipy.spatial.transform import Rotation

from monty_tools.recording.codec import Arrays, NotEncodable, decode, encode

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.complex_numbers(allow_nan=False)
)
KEYS = st.text() | st.integers() | st.tuples(st.integers(), st.text())
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(KEYS, inner)
        | st.frozensets(st.integers())
    ),
    max_leaves=20,
)
ARRAYS = hnp.arrays(
    hnp.boolean_dtypes()
    | hnp.integer_dtypes(endianness="?")
    | hnp.floating_dtypes(endianness="?")
    | hnp.unicode_string_dtypes()
    | hnp.complex_number_dtypes(),
    hnp.array_shapes(min_dims=0, min_side=0),
)


def there_and_back(value):
    arrays = Arrays()
    text = json.dumps(encode(value, arrays), allow_nan=False)
    return decode(json.loads(text), arrays.get)


def bits(value):
    """Returns a form in which equality means equal types and equal bits."""
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, complex):
        return (bits(value.real), bits(value.imag))
    if isinstance(value, (list, tuple)):
        return (type(value), [bits(item) for item in value])
    if isinstance(value, dict):
        return [(bits(key), bits(item)) for key, item in value.items()]
    return (type(value), value)


class RoundTripTest(unittest.TestCase):
    @settings(deadline=None)
    @given(VALUES)
    def test_plain_values_come_back_bit_for_bit(self, value) -> None:
        self.assertEqual(bits(there_and_back(value)), bits(value))

    @settings(deadline=None)
    @given(ARRAYS)
    def test_arrays_come_back_with_dtype_shape_and_values(self, array) -> None:
        back = there_and_back(array)
        self.assertEqual(back.dtype, array.dtype)
        self.assertEqual(back.shape, array.shape)
        np.testing.assert_array_equal(back, array)
        if array.dtype.kind == "f":
            numbers = ~np.isnan(array)
            np.testing.assert_array_equal(
                np.signbit(back[numbers]), np.signbit(array[numbers])
            )

    def test_fortran_order_is_kept_small_and_large(self) -> None:
        for side in (3, 30):
            array = np.asfortranarray(np.arange(side * side, dtype=float)).reshape(
                side, side, order="F"
            )
            back = there_and_back(array)
            self.assertTrue(back.flags.f_contiguous)
            self.assertFalse(back.flags.c_contiguous)
            np.testing.assert_array_equal(back, array)

    def test_numpy_scalars_keep_their_dtype(self) -> None:
        for scalar in (
            np.float64(-0.0),
            np.float32(0.1),
            np.int64(7),
            np.uint8(255),
            np.bool_(1),
            np.str_("mug"),
            np.longdouble(1) / 3,
            np.datetime64("2026-01-02"),
        ):
            back = there_and_back(scalar)
            self.assertIs(type(back), type(scalar))
            self.assertEqual(back, scalar)
            self.assertEqual(back.dtype, scalar.dtype)

    def test_quaternions(self) -> None:
        one = quaternion.quaternion(-0.0, 1 / 3, math.inf, 4)
        back = there_and_back(one)
        self.assertIsInstance(back, quaternion.quaternion)
        self.assertEqual(back.components.tobytes(), one.components.tobytes())
        many = quaternion.as_quat_array(np.random.default_rng(0).normal(size=(9, 4)))
        back = there_and_back(many)
        self.assertEqual(back.dtype, many.dtype)
        np.testing.assert_array_equal(back, many)

    def test_rotations_are_not_normalised_again(self) -> None:
        rotations = Rotation.from_euler(
            "xyz", np.random.default_rng(0).normal(size=(200, 3))
        )
        for value in (rotations, rotations[3]):
            self.assertEqual(
                there_and_back(value).as_quat().tobytes(), value.as_quat().tobytes()
            )

    def test_config_lists(self) -> None:
        value = OmegaConf.create([0.0, 60, "x"])
        back = there_and_back(value)
        self.assertIs(type(back), type(value))
        self.assertEqual(back, value)

    def test_equal_sets_are_written_equally(self) -> None:
        ones = {f"object {i}" for i in range(20)}
        others = {f"object {i}" for i in reversed(range(20))}
        self.assertEqual(encode(ones, Arrays()), encode(others, Arrays()))
        self.assertEqual(there_and_back(ones), ones)


class DecodedArrayTest(unittest.TestCase):
    def test_each_is_fresh_and_writable(self) -> None:
        for size in (4, 400):
            arrays = Arrays()
            data = encode(np.zeros(size), arrays)
            first, second = decode(data, arrays.get), decode(data, arrays.get)
            first[0] = 1
            self.assertEqual(second[0], 0)

    def test_equal_large_arrays_have_one_name(self) -> None:
        arrays = Arrays()
        data = encode([np.ones(100), np.ones(100), np.zeros(100)], arrays)
        self.assertEqual(data[0], data[1])
        self.assertNotEqual(data[0], data[2])
        self.assertEqual(len(arrays.members), 2)


class NotEncodableTest(unittest.TestCase):
    def test_names_the_type_and_the_place(self) -> None:
        with self.assertRaisesRegex(
            NotEncodable, r"fractions\.Fraction at result\['a'\]\[1\]"
        ):
            encode({"a": [1, Fraction(1, 2)]}, Arrays(), "result")

    def test_object_arrays_are_refused(self) -> None:
        with self.assertRaises(NotEncodable):
            encode(np.array([object()]), Arrays())


class ImportTest(unittest.TestCase):
    def test_needs_no_monty(self) -> None:
        script = (
            "import sys, monty_tools.recording.codec, monty_tools.parity.compare;"
            "sys.exit(any(m == 'tbp' or m.startswith('tbp.') for m in sys.modules))"
        )
        self.assertEqual(subprocess.run([sys.executable, "-c", script]).returncode, 0)
