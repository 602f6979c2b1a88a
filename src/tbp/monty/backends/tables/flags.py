# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Whether any or all of a few flags are set.

The methods of arrays take several times as long for a few flags, and steps ask often.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["all_of", "any_of"]


def any_of(flags: npt.NDArray) -> bool:
    """Return what `flags.any()` returns."""
    return bool(np.count_nonzero(flags))


def all_of(flags: npt.NDArray) -> bool:
    """Return what `flags.all()` returns."""
    return bool(np.count_nonzero(flags) == flags.size)
