# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The numbers that the kernels of a device share with the host."""

from __future__ import annotations

import numpy as np

from tbp.monty.backends.numpy.evidence import BEST_MATCH, NO_MATCH
from tbp.monty.backends.numpy.features import CATEGORICAL, CIRCULAR
from tbp.monty.backends.numpy.numbers import LARGEST
from tbp.monty.backends.numpy.slopes import WINDOW_SIZE
from tbp.monty.backends.numpy.votes import NEAREST, ROUNDING
from tbp.monty.backends.tables.kernel_work import MAX_NEIGHBORS

__all__ = [
    "ALL_SIDES",
    "COMBINE_THREADS",
    "LIKELY_NUMBERS",
    "SEGMENT_THREADS",
    "SIDES",
    "UPDATE_THREADS",
    "UPDATE_WARPS",
    "WINDOW_SLOTS",
    "constants",
]

UPDATE_THREADS = 128
"""Threads of a block where each has a hypothesis, a node or a row."""

COMBINE_THREADS = 32
"""Threads of a block that joins what was found out; one warp."""

SEGMENT_THREADS = 256
"""Threads of a block that has a whole segment."""

WARP = 32
UPDATE_WARPS = UPDATE_THREADS // WARP

LIKELY_NUMBERS = 13
"""The numbers of a likely hypothesis: evidence, location and pose."""

WINDOW_SLOTS = WINDOW_SIZE + 1
"""One more, so that a step does not overwrite what was recorded before it."""

SIDES = {"evidence": 1, "locations": 2, "slopes": 4, "poses": 8}
"""The bits that tell which side of its columns a segment uses. Ages are on the side of
slopes, and the window is on that of poses."""

ALL_SIDES = sum(SIDES.values())

_LARGEST_SINGLE = 1e18
"""What `LARGEST` is in single precision."""


def constants(real: np.dtype) -> dict[str, int | float]:
    """Return the constants of the kernels; those that are floats are `real` there.

    Args:
        real: The device's precision.
    """
    return dict(
        UPDATE_THREADS=UPDATE_THREADS,
        COMBINE_THREADS=COMBINE_THREADS,
        SEGMENT_THREADS=SEGMENT_THREADS,
        WARP=WARP,
        UPDATE_WARPS=UPDATE_WARPS,
        LIKELY_NUMBERS=LIKELY_NUMBERS,
        MAX_NEIGHBORS=MAX_NEIGHBORS,
        WINDOW_SIZE=WINDOW_SIZE,
        WINDOW_SLOTS=WINDOW_SLOTS,
        **{f"{name.upper()}_SIDE": side for name, side in SIDES.items()},
        ALL_SIDES=ALL_SIDES,
        NEAREST_VOTES=NEAREST,
        VOTE_ROUNDING=ROUNDING,
        CIRCULAR=CIRCULAR,
        CATEGORICAL=CATEGORICAL,
        NO_MATCH=NO_MATCH,
        BEST_MATCH=BEST_MATCH,
        LARGEST=LARGEST if real.itemsize == 8 else _LARGEST_SINGLE,
    )
