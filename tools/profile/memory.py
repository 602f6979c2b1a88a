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

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from scipy.spatial import KDTree

from tbp.monty.backends.builtin.auto import AutoBackend
from tbp.monty.backends.stacked.resident_rows import ResidentRows
from tbp.monty.backends.tables.held import HOST, Held, name_of

from .beliefs import lm_id

__all__ = ["MemoryWatch", "backends_of"]

HYPOTHESES = ("evidence", "locations", "poses", "possible")


def backends_of(monty: Any) -> list[Any]:
    """Returns the backends that run a Monty's work; `auto` has several."""
    backend = monty.backend._backend
    return [*backend.opened.values()] if isinstance(backend, AutoBackend) else [backend]


class MemoryWatch:
    """Samples memory when it has changed.

    Attributes:
        host_bytes: The sum of the last sample on the host.
        device_bytes: The sum on devices.
    """

    def __init__(self) -> None:
        self._layout: object = None
        self._models: list[dict[str, Any]] | None = None
        self.host_bytes = 0
        self.device_bytes = 0

    def models_changed(self) -> None:
        """Has the models be looked at again: learning modules have learned."""
        self._models = self._layout = None

    def sample(self, monty: Any, **at: int) -> list[dict[str, Any]]:
        """Returns lines of `memory.jsonl`, none if nothing has changed.

        Args:
            monty: The Monty.
            **at: The episode and the step.
        """
        backends, lms = backends_of(monty), monty.learning_modules
        # All holders are looked at only if this has changed, which is seldom.
        layout = (
            [getattr(one, "layout", None) for one in backends],
            [sum(map(_rows, _own(lm).values())) for lm in lms],
        )
        if layout == self._layout:
            return []
        self._layout = layout
        if self._models is None:
            self._models = [_line("none", one) for lm in lms for one in _models(lm)]
        lines = [*self._models]
        for backend in backends:
            held = getattr(backend, "held", tuple)
            lines += [_line(backend.name, one) for one in held()]
        own = [one for lm in lms for one in _own_hypotheses(lm)]
        lines += [_line(monty.backend.name, one) for one in own]
        is_host = [line["where"] == HOST for line in lines]
        sizes = np.array([line["bytes"] for line in lines], dtype=np.int64)
        self.host_bytes = int(sizes[is_host].sum())
        self.device_bytes = int(sizes.sum()) - self.host_bytes
        return [{**at, **line} for line in lines]


def _line(backend: str, held: Held) -> dict[str, Any]:
    return {
        "where": held.where,
        "backend": backend,
        "kind": held.kind,
        "lm": held.learning_module,
        "object": held.graph,
        "bytes": held.nbytes,
        "made_by": held.made_by,
        "reason": held.reason,
    }


def _own(lm: Any) -> Mapping[str, Any]:
    """Returns the hypotheses that a learning module holds itself."""
    hypotheses = getattr(lm, "_hypotheses", None) or {}
    is_resident = isinstance(next(iter(hypotheses.values()), None), ResidentRows)
    return {} if is_resident else hypotheses


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
