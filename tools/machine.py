# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is known of this machine, so that times can be judged."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

__all__ = ["cores", "in_a_line", "this_machine"]

_IN_ENGLISH = {**os.environ, "LC_ALL": "C"}


def cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def this_machine() -> dict[str, Any]:
    """Return what this machine has."""
    return {
        "processor": _processor(),
        "cores": cores(),
        "memory_gib": round(_memory_bytes() / 2**30, 1),
        "gpus": ", ".join(_gpus()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def in_a_line(machine: Mapping[str, Any]) -> str:
    """Return a machine in words."""
    words = "{cores} cores of {processor}, {memory_gib} GiB, {system}, Python {python}"
    gpus = machine.get("gpus")
    return words.format_map(_Known(machine)) + (f", {gpus}" if gpus else "")


class _Known(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


def _processor() -> str:
    # What /proc/cpuinfo says of ARM is numbers, which lscpu knows the names of.
    found = re.search(r"^Model name:\s*(.+)$", _said_by("lscpu"), re.MULTILINE)
    return found[1] if found else platform.processor() or platform.machine()


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _gpus() -> list[str]:
    said = _said_by("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
    return [line for line in said.splitlines() if line]


def _said_by(*command: str) -> str:
    """Return what a program prints; nothing if it is not there or fails."""
    if shutil.which(command[0]) is None:
        return ""
    answer = subprocess.run(command, capture_output=True, text=True, env=_IN_ENGLISH)
    return answer.stdout if answer.returncode == 0 else ""
