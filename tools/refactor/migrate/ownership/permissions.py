# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What code may do with a value."""

from __future__ import annotations

from enum import Flag, auto

__all__ = ["GIVEN", "HELD", "OPAQUE", "OWN", "SHARED", "May", "within"]


class May(Flag):
    """What may be done with a value, so that no other learning module notices."""

    PASS = auto()
    """Pass it on, compare it, compute with it."""
    READ = auto()
    """Look at what is in it, to any depth."""
    CHANGE = auto()
    """Change it, and call what is in it."""


SHARED = May(0)
"""Others have it, too, and using it changes it: random numbers."""
OPAQUE = May.PASS
"""It may be anything, another learning module as well."""
GIVEN = May.PASS | May.READ
"""An argument: it stays as it is during a step, unless it is changed."""
HELD = May.PASS | May.CHANGE
"""A container that the learning module made; what is in it is opaque."""
OWN = May.PASS | May.READ | May.CHANGE
"""It belongs to the learning module, with all that is in it."""


def within(value: May) -> May:
    """Return what may be done with what is in a value."""
    return value if May.READ in value else value & May.PASS
