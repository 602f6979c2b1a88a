# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a device needs to displace hypotheses without an update of their evidence."""

from __future__ import annotations

from typing import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["arrays_of"]

_LEAST_ROOM = 64
"""Room for displacements: a parcel of the same size is sent faster."""


def arrays_of(
    moves: Sequence[Sequence[npt.NDArray[np.float64]]],
) -> dict[str, npt.ArrayLike]:
    """Return what the kernel takes of displacements.

    Args:
        moves: The displacements of each segment, one of shape (3,) after another.
    """
    # The graphs of a learning module share theirs, which are sent once.
    spans: dict[int, tuple[int, int]] = {}
    displacements: list[npt.NDArray[np.float64]] = []
    for of_segment in moves:
        if id(of_segment) not in spans:
            first = len(displacements)
            displacements += of_segment
            spans[id(of_segment)] = first, len(displacements)
    count = len(displacements)
    room = max(_LEAST_ROOM, 1 << (count - 1).bit_length())
    return dict(
        # Flat: numpy takes much longer to make an array of tuples.
        move_spans=[number for one in moves for number in spans[id(one)]],
        moves=np.concatenate([*displacements, np.zeros(3 * (room - count))]),
    )
