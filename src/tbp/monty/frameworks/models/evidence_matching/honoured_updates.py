# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Updates of learning modules and updaters that no backend can run."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from tbp.monty.frameworks.models.evidence_matching.described_update import (
    take_back_trackers,
)
from tbp.monty.frameworks.models.evidence_matching.evidence_update import (
    EvidenceQuery,
    dispatch_update,
    update_each_graph,
)
from tbp.monty.frameworks.models.honoured_overrides import UpdatedAlone

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["dispatch_honoured_update"]


def dispatch_honoured_update(
    lm: EvidenceGraphLM,
    lm_class: type[EvidenceGraphLM],
    query: EvidenceQuery,
) -> Any:
    """Return a pending update of all graphs.

    A learning module that updates a graph in its own way runs here, and keeps what it
    finds by itself. So does, but for the latter, an updater without halves.

    Args:
        lm: The learning module.
        lm_class: The class of which it may override `_update_evidence`.
        query: The query for its hypotheses updater.
    """
    updater: Any = lm.hypotheses_updater
    own = lm._update_evidence
    if getattr(own, "__func__", None) is not lm_class._update_evidence:
        take_back_trackers(updater)
        update = functools.partial(own, query.features, query.displacement)
        update_each_graph(updater, query, update)
        return UpdatedAlone(reason="has its own _update_evidence")
    pending = dispatch_update(updater, query)
    if hasattr(updater, "dispatch"):
        return pending
    reason = f"has a {type(updater).__name__}, which has no halves"
    return UpdatedAlone(**vars(pending), reason=reason)
