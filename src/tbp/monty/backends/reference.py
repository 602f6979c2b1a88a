# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses updaters' own code, as a backend."""

from __future__ import annotations

from typing import ClassVar

from tbp.monty.backends.protocol import LMGroup
from tbp.monty.backends.work import EvidenceOutcome, EvidenceWork

__all__ = ["ReferenceBackend"]


class ReferenceBackend:
    """Runs each update in Python, as soon as it is dispatched."""

    name: ClassVar[str] = "reference"

    def __init__(self) -> None:
        self._outcomes: dict[EvidenceWork, EvidenceOutcome] = {}

    def dispatch(self, work: EvidenceWork) -> None:
        self._outcomes[work] = work.update()

    def launch(self, group: LMGroup) -> None:
        pass

    def result(self, work: EvidenceWork) -> EvidenceOutcome:
        return self._outcomes.pop(work)

    def close(self) -> None:
        self._outcomes.clear()
