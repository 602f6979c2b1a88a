# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Backends, which run the learning modules' work.

Inputs and results are plain data: nothing here imports `tbp.monty.frameworks`.
"""

from tbp.monty.backends.failures import CannotRun, WorkLeftPending
from tbp.monty.backends.protocol import Backend, LMGroup
from tbp.monty.backends.shared import SharedBackend, share_backend
from tbp.monty.backends.work import EvidenceWork

__all__ = [
    "Backend",
    "CannotRun",
    "EvidenceWork",
    "LMGroup",
    "SharedBackend",
    "WorkLeftPending",
    "share_backend",
]
