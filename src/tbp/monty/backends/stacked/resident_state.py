# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a learning module offers to a backend that keeps its hypotheses."""

from __future__ import annotations

import operator
from typing import Any, Callable, Mapping, MutableMapping, Protocol

from tbp.monty.backends.described_work import DescribedWork, EvidenceState
from tbp.monty.backends.stacked.resident_rows import ResidentRows

__all__ = ["ResidentState", "state_of"]


class ResidentState(EvidenceState, Protocol):
    """The state of a learning module whose hypotheses stay in a backend's tables.

    Attributes:
        hypotheses: The hypotheses, by graph.
        telemetry: What is told of the last update, by graph.
        trackers: What tells the slopes of hypotheses, by graph; of burst sampling.
        rows_class: What stands for the hypotheses of a graph while a table holds them.
    """

    hypotheses: Mapping[str, Any]
    telemetry: MutableMapping[str, Any]
    trackers: Mapping[str, Any]
    rows_class: type[ResidentRows]

    def stored(self, before: object) -> object:
        """Return an object that stands for all graphs as they are stored.

        This is asked on every step. `version` tells which graph has changed.

        Args:
            before: What was returned before, if anything.

        Returns:
            The same object if no graph was added, removed or replaced since.
        """
        ...


state_of: Callable[[DescribedWork], ResidentState] = operator.attrgetter("state")
"""Returns the state of a learning module, which offers this in the fork."""
