# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Whether a comparison holds everywhere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["all_true"]


def all_true(compared: bool | npt.NDArray[np.bool_]) -> bool | np.bool_:
    """Return what `np.all` returns, faster for the result of a comparison.

    Args:
        compared: What a comparison of lists, or of arrays, returned.
    """
    if isinstance(compared, bool):
        return compared
    return compared.all() if isinstance(compared, np.ndarray) else np.all(compared)
