# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses that stay in a backend's tables while a learning module uses them."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.frameworks.models.evidence_matching.described_work import (
    described_updater,
)
from tbp.monty.frameworks.models.evidence_matching.evidence_state import (
    LMEvidenceState,
)
from tbp.monty.frameworks.models.evidence_matching.evidence_work import evidence_work
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["LMResidentState", "resident_work"]


def resident_work(
    lm: EvidenceGraphLM,
    features: dict[str, dict[str, Any]],
    displacement: npt.NDArray[np.float64] | None,
) -> DescribedWork:
    """Return the evidence update of a learning module, for any backend.

    Args:
        lm: The learning module.
        features: The features sensed, by input channel.
        displacement: How far the sensors moved since the last update.

    Returns:
        The work.
    """
    return DescribedWork(
        **vars(evidence_work(lm, features, displacement)),
        features=features,
        displacement=displacement,
        updater=described_updater(lm),
        state=LMResidentState(lm, features),
    )


class LMResidentState(LMEvidenceState):
    """The state of an `EvidenceGraphLM` whose hypotheses a backend may keep."""

    rows_class = ResidentHypotheses

    @property
    def hypotheses(self) -> Mapping[str, Hypotheses]:
        return self._lm._hypotheses

    @hypotheses.setter
    def hypotheses(self, by_graph: dict[str, Hypotheses]) -> None:
        self._lm._hypotheses = by_graph

    def versions(self, graph_ids: Sequence[str]) -> Sequence[object]:
        # Called on every step for all graphs, so it avoids a Python loop over them.
        models_of_graphs = self._memory.models_in_memory
        arrays_of_graphs = self._memory.feature_array
        channels = list(map(models_of_graphs.__getitem__, graph_ids))
        models = list(chain.from_iterable(map(dict.values, channels)))
        arrays = map(dict.values, map(arrays_of_graphs.__getitem__, graph_ids))
        return [
            *graph_ids,
            *chain.from_iterable(channels),
            *models,
            *map(getattr, models, repeat("_graph"), repeat(None)),
            *chain.from_iterable(arrays),
        ]

    def keep_trackers(self, graph_ids: Sequence[str], trackers: Sequence[Any]) -> None:
        kept = self._burst_sampling.evidence_slope_trackers
        kept.update(zip(graph_ids, trackers, strict=True))
