# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What can be wrong with the numbers a learning module hands over."""

from __future__ import annotations

import numpy as np

__all__ = ["LARGEST", "UnusableNumbers", "usable"]

LARGEST = 1e150
"""Beyond this magnitude a square overflows; nothing that Monty senses comes near."""


class UnusableNumbers(ValueError):
    """An input or a hypothesis is NaN, infinite, or too large to be squared."""


def usable(values) -> np.ndarray:
    """Return for each value whether it can be computed with."""
    with np.errstate(invalid="ignore"):
        return np.abs(values) <= LARGEST
