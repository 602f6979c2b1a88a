# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Upstream's own checks, which each proposed commit must pass."""

from .finding import Finding
from .gates import Gates

__all__ = ["Finding", "Gates"]
