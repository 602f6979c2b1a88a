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

import functools
import operator
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
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.graph_memory import (
        EvidenceGraphMemory,
    )
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["LMResidentState", "resident_work"]


def resident_work(
    lm: EvidenceGraphLM,
    features: dict[str, dict[str, Any]],
    displacement: npt.NDArray[np.float64] | None,
) -> DescribedWork:
    """Return what `described_work` returns, with hypotheses that a backend may keep."""
    # Without `evidence_work`: one object is made faster than two.
    return DescribedWork(
        lm_id=lm.learning_module_id,
        graph_ids=lm.get_all_known_object_ids(),
        update_graph=functools.partial(lm._update_evidence, features, displacement),
        in_threads=lm.use_multithreading,
        context=lm.hypotheses_updater,
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

    @property
    def telemetry(self) -> dict[str, Any]:
        return self._lm.hypotheses_updater_telemetry

    @telemetry.setter
    def telemetry(self, by_graph: dict[str, Any]) -> None:
        self._lm.hypotheses_updater_telemetry = by_graph

    def stored(self, before: object) -> object:
        if isinstance(before, _StoredGraphs) and before.is_all_of(self._memory):
            return before
        return _StoredGraphs(self._memory)

    @property
    def trackers(self) -> dict[str, Any]:
        return self._burst_sampling.evidence_slope_trackers

    @trackers.setter
    def trackers(self, by_graph: dict[str, Any]) -> None:
        self._burst_sampling.evidence_slope_trackers = by_graph


_GRAPH = operator.attrgetter("_graph")


class _StoredGraphs:
    """The graphs that a memory had when this was made."""

    def __init__(self, memory: EvidenceGraphMemory) -> None:
        self._models = {k: dict(one) for k, one in memory.models_in_memory.items()}
        self._arrays = {k: dict(one) for k, one in memory.feature_array.items()}
        self._each = [one for of in self._models.values() for one in of.values()]
        self._contents = _contents(self._each)

    def is_all_of(self, memory: EvidenceGraphMemory) -> bool:
        """Return whether a memory has these graphs and no others."""
        try:
            # What they hold is compared by identity first, without a loop in Python.
            return (
                memory.models_in_memory == self._models
                and memory.feature_array == self._arrays
                and _contents(self._each) == self._contents
            )
        except ValueError:  # arrays that are not the same are compared by their values
            return False


def _contents(models: Sequence[Any]) -> list[Any]:
    try:
        return list(map(_GRAPH, models))
    except AttributeError:  # a model of another kind
        return [getattr(model, "_graph", None) for model in models]
