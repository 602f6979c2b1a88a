# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Who holds memory during a run: backends, learning modules and their models."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from scipy.spatial import KDTree

from tbp.monty.backends.builtin.auto import AutoBackend
from tbp.monty.backends.hypotheses import ResidentHypotheses
from tbp.monty.backends.tables.held import HOST, Held, name_of

from .beliefs import lm_id

__all__ = ["MemoryWatch", "backends_of"]

HYPOTHESES = ("evidence", "locations", "poses", "possible")


def backends_of(monty: Any) -> list[Any]:
    """Returns the backends that run a Monty's work; `auto` has several."""
    backend = monty.backend.backend
    return [*backend.opened.values()] if isinstance(backend, AutoBackend) else [backend]


class MemoryWatch:
    """Samples memory when it has changed.

    Attributes:
        host_bytes: The sum of the last sample on the host.
        device_bytes: The sum on devices.
    """

    def __init__(self) -> None:
        self._layout: object = None
        self._models: list[tuple[str, Held]] = []
        self.host_bytes = 0
        self.device_bytes = 0

    def look_at_models(self, monty: Any) -> None:
        """Notes what learning modules know, at first and whenever they have learned."""
        lms = monty.learning_modules
        self._models = [("none", one) for lm in lms for one in _models(lm)]
        self._layout = None

    def sample(self, monty: Any, episode: int, step: int) -> list[str]:
        """Returns lines of `memory.jsonl`, none if nothing has changed."""
        backends, lms = backends_of(monty), monty.learning_modules
        # All holders are looked at only if this has changed, which is seldom.
        layout = (
            [getattr(one, "layout", None) for one in backends],
            [sum(map(_rows, _own(lm).values())) for lm in lms],
        )
        if layout == self._layout:
            return []
        self._layout = layout
        holders = [*self._models]
        for backend in backends:
            held = getattr(backend, "held", tuple)
            holders += [(backend.name, one) for one in held()]
        for lm in lms:
            holders += [(monty.backend.name, one) for one in _own_hypotheses(lm)]
        sizes = [(held.where == HOST, held.nbytes) for _, held in holders]
        self.host_bytes = sum(nbytes for is_host, nbytes in sizes if is_host)
        self.device_bytes = sum(nbytes for is_host, nbytes in sizes if not is_host)
        at = f'{{"episode": {episode}, "step": {step}, '
        return [at + _rest_of_line(backend, held) for backend, held in holders]


@functools.lru_cache(maxsize=10_000)  # most holders are the same in every sample
def _rest_of_line(backend: str, held: Held) -> str:
    return json.dumps(
        {
            "where": held.where,
            "backend": backend,
            "kind": held.kind,
            "lm": held.learning_module,
            "object": held.graph,
            "bytes": held.nbytes,
            "made_by": held.made_by,
            "reason": held.reason,
        }
    ).removeprefix("{")


def _own(lm: Any) -> Mapping[str, Any]:
    """Returns the hypotheses that a learning module holds itself."""
    hypotheses = getattr(lm, "_hypotheses", None) or {}
    return {
        graph: one
        for graph, one in hypotheses.items()
        if not (isinstance(one, ResidentHypotheses) and one.owner is not None)
    }


def _rows(hypotheses: Any) -> int:
    return len(hypotheses.evidence)


def _own_hypotheses(lm: Any) -> Iterator[Held]:
    hypotheses = _own(lm)
    if not hypotheses:
        return
    made_by = name_of(lm._update_evidence)
    trackers = getattr(lm.hypotheses_updater, "evidence_slope_trackers", {})
    for graph, one in hypotheses.items():
        parts = {
            "table": _nbytes([getattr(one, name) for name in HYPOTHESES]),
            "window": _nbytes(trackers.get(graph)),
        }
        for kind, nbytes in parts.items():
            if nbytes:
                reason = "the learning module's hypotheses of this episode"
                yield Held(HOST, kind, nbytes, made_by, reason, lm_id(lm), graph)


def _models(lm: Any) -> Iterator[Held]:
    memory: Any = getattr(lm, "graph_memory", None)
    for graph, channels in getattr(memory, "models_in_memory", {}).items():
        nbytes = _nbytes([channels, memory.feature_array.get(graph)])
        reason = "what the learning module knows of the object"
        made_by = name_of(lm.load_state_dict)
        yield Held(HOST, "model", nbytes, made_by, reason, lm_id(lm), str(graph))


def _nbytes(value: Any, seen: set[int] | None = None) -> int:
    """Returns the bytes of all arrays that can be reached, each of them once."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, torch.Tensor) and not value.is_sparse:
        return value.numel() * value.element_size()
    return sum(_nbytes(part, seen) for part in _parts(value))


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, torch.Tensor):
        return value._indices(), value._values()
    if isinstance(value, KDTree):
        return value.data, value.indices
    if isinstance(value, Mapping):
        return value.values()
    if isinstance(value, (list, tuple)):
        return value
    return getattr(value, "__dict__", {}).values()
