# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Backends, which run the evidence updates of learning modules.

Inputs and results are plain data: nothing here imports `tbp.monty.frameworks`.
"""

from tbp.monty.backends.protocol import Backend, LMGroup
from tbp.monty.backends.work import EvidenceOutcome, EvidenceWork

__all__ = ["Backend", "EvidenceOutcome", "EvidenceWork", "LMGroup"]
