# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Displaces the hypotheses of a learning module that a backend holds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Iterable

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.stacked.handed_out import HypothesesByGraph
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["displace_in_table"]

_FOLDER = "tbp.monty.frameworks.models.evidence_matching"
_KNOWN = frozenset(
    f"{_FOLDER}.{name}.displace_hypotheses"
    for name in (
        "burst_sampling.BurstSamplingHypothesesUpdater",
        "hypotheses_displacer.DefaultHypothesesDisplacer",
        "hypotheses_updater.DefaultHypothesesUpdater",
    )
)


def displace_in_table(
    lm: EvidenceGraphLM, displacement: npt.NDArray[np.float64]
) -> Iterable[tuple[str, Hypotheses]]:
    """Displace the hypotheses that a backend's table holds, all at once.

    Args:
        lm: The learning module.
        displacement: How the sensor has moved, shape (3,).

    Returns:
        Those that are yet to be displaced, and their graphs.
    """
    hypotheses: Any = lm._hypotheses
    updater: Any = lm.hypotheses_updater
    if (
        isinstance(hypotheses, HypothesesByGraph)
        and _displaces_as_known(updater)
        and _displaces_as_known(updater._hypotheses_displacer)
    ):
        return hypotheses.displace(displacement)
    return hypotheses.items()


def _displaces_as_known(instance: Any) -> bool:
    """Return whether an updater or displacer displaces hypotheses as Monty's do."""
    return _is_known(getattr(instance.displace_hypotheses, "__func__", None))


@functools.lru_cache(maxsize=16)
def _is_known(function: Callable[..., Any] | None) -> bool:
    # By their names: a module that is imported here would import this one. What wraps
    # a function has its name, and tells so.
    name = (
        f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
    )
    return name in _KNOWN and not hasattr(function, "__wrapped__")
