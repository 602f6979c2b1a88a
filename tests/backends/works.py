# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Works for tests of backends."""

from __future__ import annotations

from typing import Callable

from tbp.monty.backends import EvidenceOutcome, EvidenceWork

__all__ = ["work_that"]


def work_that(
    update: Callable[[], EvidenceOutcome] = EvidenceOutcome, lm_id: str = "LM_0"
) -> EvidenceWork:
    """Return a work that is done by a function."""
    return EvidenceWork(lm_id, update)
