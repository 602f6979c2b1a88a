# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which numbers are usable."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import HypothesisRows

__all__ = [
    "LARGEST",
    "UnusableNumbers",
    "check_hypotheses",
    "usable",
    "usable_percepts",
]

LARGEST = 1e150
"""Beyond this magnitude a square overflows; nothing that Monty senses comes near."""


class UnusableNumbers(ValueError):
    """An input or a hypothesis is NaN, infinite, or too large to be squared."""


def usable(values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return for each value whether it is finite and can be squared."""
    with np.errstate(invalid="ignore"):
        return np.abs(values) <= LARGEST


def usable_percepts(
    pose_vectors: npt.NDArray[np.float64], curvatures: npt.ArrayLike
) -> npt.NDArray[np.bool_]:
    """Return for each percept whether evidence can be computed from it.

    Any curvature but NaN is usable: if it is infinite, a node's distance from the
    tangent plane does not count. Features are not checked: an infinite one matches no
    node, and one that is NaN makes the evidence NaN.

    Args:
        pose_vectors: The elements that are matched, shape (..., 6).
        curvatures: Shape (...,).
    """
    return usable(pose_vectors).all(axis=-1) & ~np.isnan(curvatures)


def check_hypotheses(hypotheses: HypothesisRows) -> None:
    """Check the hypotheses of a graph after an update.

    Args:
        hypotheses: The hypotheses.

    Raises:
        UnusableNumbers: If a hypothesis has an unusable number.
    """
    # Causes come before effects: the pose decides where the location moves, and the
    # evidence depends on both.
    for what, values in (
        ("pose", hypotheses.poses),
        ("location", hypotheses.locations),
        ("evidence", hypotheses.evidence),
    ):
        unusable = np.argwhere(~usable(values))
        if len(unusable):
            first = unusable[0, 0]
            raise UnusableNumbers(
                f"the {what} of hypothesis {first} of {len(hypotheses)} must be "
                f"finite, got {values[first].tolist()}; check what is sensed and "
                "stored for NaN"
            )
