# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What can go wrong between a learning module and its backend."""

from __future__ import annotations

__all__ = [
    "DEVICE_FAILURES",
    "CannotRun",
    "DeviceFault",
    "OutOfDeviceMemory",
    "WorkLeftPending",
]


class CannotRun(RuntimeError):
    """The backend that was asked for cannot run a learning module's work."""


class WorkLeftPending(RuntimeError):
    """A learning module dispatched work on a step and never took the result."""


class OutOfDeviceMemory(MemoryError):
    """A device has no memory for a piece of work. Nothing has changed."""


class DeviceFault(RuntimeError):
    """A launch or a transfer has failed. Nothing has changed.

    It may be that the device cannot be used any more.
    """


DEVICE_FAILURES = (OutOfDeviceMemory, DeviceFault)
"""After these, another backend may run the work."""
