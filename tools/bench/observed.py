# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Features of points on an object, stored or sensed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Observed"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Observed:
    """Features at locations, one row per point.

    Attributes:
        locations: Shape (n, 3).
        pose_vectors: Shape (n, 3, 3), see `surface.Frames`.
        pose_fully_defined: Whether the principal directions are meaningful. Shape (n,).
        principal_curvatures_log: Shape (n, 2).
        hsv: Hue, saturation and value, each from 0 to 1. Shape (n, 3).
    """

    locations: Array
    pose_vectors: Array
    pose_fully_defined: npt.NDArray[np.bool_]
    principal_curvatures_log: Array
    hsv: Array

    def __len__(self) -> int:
        return len(self.locations)

    def at(self, index: npt.NDArray[np.int64]) -> Observed:
        return Observed(**{name: rows[index] for name, rows in self.arrays().items()})

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}
