# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What can go wrong with a GPU."""

from __future__ import annotations

__all__ = ["DeviceFault", "DeviceHangs"]


class DeviceFault(RuntimeError):
    """A launch or a transfer has failed; the GPU cannot be used any more."""


class DeviceHangs(RuntimeError):
    """A launch does not come to an end."""
