# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a backend raises when its device has no memory left."""

from __future__ import annotations

__all__ = ["OutOfDeviceMemory"]


class OutOfDeviceMemory(MemoryError):
    """A backend's device has no memory for a piece of work.

    A backend raises it from `dispatch` or `result`, for every piece of work that it
    concerns, and before anything has changed: another backend can then run the work.
    """
