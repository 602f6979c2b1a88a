# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Stands for an array that a table may have to copy from a device."""

from __future__ import annotations

import numpy.typing as npt

__all__ = ["Deferred"]


class Deferred:
    """Stands for an array that is copied when it must be.

    It has the attribute `fetch_into`: where to put the copy, by the column's name.
    """

    __slots__ = ("__weakref__", "fetch_into")

    fetch_into: dict[str, npt.NDArray] | None

    def fetch(self) -> npt.NDArray:
        """Return the copy, made now or before."""
        raise NotImplementedError
