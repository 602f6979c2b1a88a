# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What learning modules hand to a backend, and what they get back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

__all__ = ["EvidenceOutcome", "EvidenceWork"]


@dataclass
class EvidenceOutcome:
    """The results of an evidence update.

    Attributes:
        hypotheses: The hypotheses of each graph that was updated.
        telemetry: What a hypotheses updater reports, by graph.
    """

    hypotheses: Mapping[str, Any] = field(default_factory=dict)
    telemetry: Mapping[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class EvidenceWork:
    """The evidence update of one learning module on one step.

    Attributes:
        lm_id: The learning module.
        update: The hypotheses updater's own update of all graphs, in Python.
    """

    lm_id: str
    update: Callable[[], EvidenceOutcome] = field(repr=False)
