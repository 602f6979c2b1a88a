# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The evidence update in numpy, as a backend."""

from __future__ import annotations

import operator
from typing import Any, Callable, ClassVar, Literal, Mapping, NamedTuple, Sequence

from tbp.monty.backends.described_work import DescribedWork, Nodes, UpdaterDescription
from tbp.monty.backends.numpy.burst_sampling_update import burst_sampling_update
from tbp.monty.backends.numpy.default_update import default_update
from tbp.monty.backends.numpy.graph_update import GraphUpdate
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.protocol import LMGroup
from tbp.monty.backends.work import EvidenceWork

__all__ = ["NumpyBackend"]

_UPDATES: Mapping[str, Callable[[GraphUpdate], Mapping[str, Any]]] = {
    "default": default_update,
    "burst_sampling": burst_sampling_update,
}
"""By kind of updater, a function that updates a graph and returns telemetry."""


class NumpyBackend:
    """Updates graph by graph, synchronously on dispatch."""

    name: ClassVar[str] = "numpy"
    where: ClassVar[str] = "CPU"
    summary: ClassVar[str] = "the arithmetic, written to be read"

    def __init__(self) -> None:
        self._stored: dict[tuple[str, str, str], _StoredNodes] = {}

    @staticmethod
    def unavailable() -> str | None:
        return None

    def can_run(self, work: EvidenceWork) -> Literal[True] | str:
        if not isinstance(work, DescribedWork):
            return "the work has no description"
        if isinstance(work.updater, str):
            return work.updater
        if work.updater.kind not in _UPDATES:
            return f"it does not know the update {work.updater.kind!r}"
        return True

    def dispatch(self, work: EvidenceWork, group: LMGroup) -> None:  # noqa: ARG002
        assert isinstance(work, DescribedWork)
        assert not isinstance(work.updater, str)
        for graph_id in work.graph_ids:
            self._update(work, work.updater, graph_id)

    def launch(self, group: LMGroup) -> None:
        pass

    def result(self, work: EvidenceWork) -> None:
        pass

    def note(self) -> str:
        return ""

    def close(self) -> None:
        self._stored.clear()

    def _update(
        self, work: DescribedWork, updater: UpdaterDescription, graph_id: str
    ) -> None:
        stored = work.state.channels(graph_id)
        channels = [channel for channel in work.features if channel in stored]
        update = GraphUpdate(
            graph_id=graph_id,
            nodes={one: self._nodes(work, graph_id, one) for one in channels},
            displacement=work.displacement,
            settings=work.settings,
            state=work.state,
        )
        telemetry: Mapping[str, Any] = {}
        if channels:
            try:
                update.check()
                telemetry = _UPDATES[updater.kind](update)
            except UnusableNumbers as error:
                raise UnusableNumbers(f"{work.lm_id}, {graph_id}: {error}") from error
        else:
            # Nothing moves. A graph without hypotheses still gets an empty entry.
            work.state.keep_hypotheses(graph_id, update.existing)
        work.state.keep_telemetry({graph_id: telemetry})

    def _nodes(self, work: DescribedWork, graph_id: str, channel: str) -> Nodes:
        """Return the stored nodes, from a cache until they change."""
        key = (work.lm_id, graph_id, channel)
        version = work.state.version(graph_id, channel)
        stored = self._stored.get(key)
        if stored is None or not _is_same(stored.version, version):
            stored = _StoredNodes(version, work.state.nodes(graph_id, channel))
            self._stored[key] = stored
        return stored.nodes


class _StoredNodes(NamedTuple):
    version: Sequence[object]
    nodes: Nodes


def _is_same(one: Sequence[object], other: Sequence[object]) -> bool:
    # By identity. We hold references, so ids are not reused.
    return len(one) == len(other) and all(map(operator.is_, one, other))
