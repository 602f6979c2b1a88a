# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Rotates a vector by a quaternion."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
import quaternion as qt

__all__ = ["rotate_vector"]


def rotate_vector(
    rotation: qt.quaternion, vector: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Return what `quaternion.rotate_vectors` returns, faster for one vector.

    Args:
        rotation: A rotation, or anything that `rotate_vectors` takes.
        vector: A vector, or several.
    """
    one = np.asarray(rotation, dtype=qt.quaternion)
    vectors = np.asarray(vector, dtype=float)
    if one.shape or vectors.shape != (3,):
        return qt.rotate_vectors(rotation, vector)
    # The product of two matrices, as there: it may round otherwise than another one.
    return np.dot(_matrix(one.tobytes()), vectors.reshape(3, 1)).reshape(3)


@lru_cache(maxsize=8)  # all sensors of an agent are rotated with it
def _matrix(rotation: bytes) -> npt.NDArray[np.float64]:
    one = np.frombuffer(rotation, dtype=qt.quaternion).reshape(())
    # numpy-quaternion adds it to numpy.
    norm = float(np.norm(one))  # type: ignore[attr-defined]
    if norm == 0.0:
        return qt.as_rotation_matrix(one)  # raises
    # As there. Python's floats round as arrays of one number do, and take less time.
    w, x, y, z = np.frombuffer(rotation).tolist()

    def part(number: float) -> float:
        return 2 * number / norm

    return np.array(
        [
            [1 - part(y * y + z * z), part(x * y - z * w), part(x * z + y * w)],
            [part(x * y + z * w), 1 - part(x * x + z * z), part(y * z - x * w)],
            [part(x * z - y * w), part(y * z + x * w), 1 - part(x * x + y * y)],
        ]
    )
