# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The peak memory of this process."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

__all__ = ["peak_mib"]


def peak_mib() -> float:
    """Return the peak physical memory of this process, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage: on Linux its number survives exec, so a child of a large
        # process starts with its parent's peak.
        found = re.search(r"^VmHWM:\s+(\d+) kB$", status.read_text(), re.MULTILINE)
        if found:
            return int(found[1]) / 2**10
    unit = 1 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
