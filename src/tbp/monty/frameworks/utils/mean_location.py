# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The mean location of one message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tbp.monty.cmp import Message

__all__ = ["mean_of_one"]

_FLOAT = np.dtype(float)


def mean_of_one(messages: Sequence[Message]) -> npt.NDArray[np.float64] | None:
    """Return what `np.mean` returns for the location of one message.

    Args:
        messages: The messages.

    Returns:
        The mean; None if it has to be taken with `np.mean`.
    """
    if len(messages) != 1:
        return None
    location = messages[0].location
    if type(location) is not np.ndarray or location.dtype is not _FLOAT:
        return None
    # Whether -0.0 stays negative depends on the version of numpy.
    if location.ndim != 1 or 0.0 in location.tolist():
        return None
    return location.copy()
