# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The evidence update of a learning module, as work for its backend."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tbp.monty.backends import EvidenceWork

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["evidence_work"]


def evidence_work(
    lm: EvidenceGraphLM,
    features: dict[str, dict[str, Any]],
    displacement: npt.NDArray[np.float64] | None,
) -> EvidenceWork:
    """Return the update of all graphs of a learning module, as one piece of work.

    The arguments are those of `_update_evidence`, without the graph.
    """
    return EvidenceWork(
        lm_id=lm.learning_module_id,
        graph_ids=lm.get_all_known_object_ids(),
        update_graph=functools.partial(lm._update_evidence, features, displacement),
        in_threads=lm.use_multithreading,
        context=lm.hypotheses_updater,
    )
