# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Says what stands in the way of a change."""

from __future__ import annotations

__all__ = ["Refused"]


class Refused(Exception):
    """Something cannot be changed without changing what it does."""
