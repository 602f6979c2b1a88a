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
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tbp.monty.backends.numpy.rounding import (
    dot3,
    fused_multiply_add,
    numpy_fuses_dots,
    sum_as_numpy_does,
)

# Products and their rounding errors neither overflow nor underflow in this range.
ordinary = st.one_of(
    st.just(0.0),
    st.floats(1e-60, 1e60),
    st.floats(-1e60, -1e-60),
    st.sampled_from([1.0, -1.0, 1 + 2**-52, 1 - 2**-53, 2**27 + 1.0]),
)


class FusedMultiplyAddTest(unittest.TestCase):
    @settings(max_examples=500, deadline=None)
    @given(a=ordinary, b=ordinary, c=ordinary)
    def test_is_rounded_once(self, a: float, b: float, c: float) -> None:
        exact = float(Fraction(a) * Fraction(b) + Fraction(c))
        self.assertEqual(float(fused_multiply_add(a, b, c)), exact)

    def test_is_rounded_once_under_cancellation(self) -> None:
        random = np.random.default_rng(0)
        a, b = random.normal(size=(2, 2000))
        c = -(a * b) * (1 + random.integers(-2, 3, size=2000) * 2.0**-52)
        exact = [
            float(Fraction(x) * Fraction(y) + Fraction(z)) for x, y, z in np.c_[a, b, c]
        ]
        np.testing.assert_array_equal(fused_multiply_add(a, b, c), exact)

    def test_unusable_numbers_stay_unusable(self) -> None:
        result = fused_multiply_add([np.nan, np.inf, 1e200], [1.0, 1.0, 1e200], 1.0)
        self.assertFalse(np.isfinite(result).any())


class DotTest(unittest.TestCase):
    def test_equals_numpys_dot_if_either_rounding_does(self) -> None:
        random = np.random.default_rng(1)
        poses, vectors = random.normal(size=(500, 3, 3)), random.normal(size=(3, 3))
        rows = tuple(poses.transpose(2, 0, 1))
        both = [
            [dot3(rows, vector, fused) for vector in vectors] for fused in (False, True)
        ]
        rotated = poses.dot(vectors.T).transpose(2, 0, 1)
        follows = [np.array_equal(dots, rotated) for dots in both]
        self.assertEqual(follows[numpy_fuses_dots()], any(follows))


class SumTest(unittest.TestCase):
    def test_equals_numpys_sum(self) -> None:
        random = np.random.default_rng(2)
        for columns in range(1, 40):
            rows = random.normal(size=(300, columns))
            np.testing.assert_array_equal(
                sum_as_numpy_does(list(rows.T)), rows.sum(axis=1)
            )


if __name__ == "__main__":
    unittest.main()
