# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What learning modules ask a backend to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["EvidenceWork", "UpdaterDescription"]


@dataclass(frozen=True)
class UpdaterDescription:
    """How a hypotheses updater updates, as data.

    Attributes:
        kind: Which of the known ways: `default` or `burst_sampling`.
        settings: What decides the arithmetic, by the names of the updater's own
            parameters.
    """

    kind: str
    settings: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class EvidenceWork:
    """The evidence update of one learning module on one step.

    Attributes:
        lm_id: The learning module.
        graph_ids: The object graphs to update.
        features: The features sensed, by input channel.
        displacement: How far the sensors moved since the last update; None if they
            have not moved yet.
        update_graph: The learning module's own update of one graph, in Python. It
            writes the result where the learning module keeps its hypotheses.
        in_threads: Whether the graphs may be updated at the same time.
        updater: What the update is; None if only `update_graph` knows.
        reason: Why there is no description of the updater.
    """

    lm_id: str
    graph_ids: Sequence[str]
    features: Mapping[str, Mapping[str, Any]] = field(repr=False)
    displacement: npt.NDArray[np.float64] | None
    update_graph: Callable[[str], None] = field(repr=False)
    in_threads: bool
    updater: UpdaterDescription | None
    reason: str = ""
