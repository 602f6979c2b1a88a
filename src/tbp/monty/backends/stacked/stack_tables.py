# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The tables of a stack: what it holds from step to step."""

from __future__ import annotations

from typing import Iterator

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.stacked.graph_cache import GraphCache
from tbp.monty.backends.stacked.history import hand_over_history
from tbp.monty.backends.stacked.packing import Packer
from tbp.monty.backends.stacked.plans import Plans
from tbp.monty.backends.stacked.residents import Residents
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.held import Held

__all__ = ["StackTables"]


class StackTables:
    """Graphs and hypotheses of learning modules, and what was handed out of them.

    Attributes:
        engine: What computes.
        graphs: The graphs.
        hypotheses: The hypotheses.
        plans: What stays the same from step to step.
        packer: Packs works for kernels.
        residents: What learning modules were handed out.
    """

    def __init__(self, engine: Engine, window_size: int) -> None:
        """Make empty tables.

        Args:
            engine: What computes; it is closed here.
            window_size: How many past values of the evidence to keep.
        """
        self.engine = engine
        self.graphs = GraphCache()
        self.hypotheses = engine.make_table(window_size)
        self.plans = Plans(self.graphs, self.hypotheses)
        self.packer = Packer()
        self.residents = Residents(self.hypotheses, engine)

    def release(self, work: DescribedWork) -> None:
        """Hand the state kept for a learning module back to it."""
        table = self.hypotheses
        released = self.residents.release(work.lm_id)
        for segment in released if table.window_size else ():
            graph_id = table.keys[segment].graph
            hand_over_history(table, segment, graph_id, work.state)
        table.restart(released)

    @property
    def layout(self) -> tuple[int, ...]:
        """Changes whenever `held` would return something else."""
        made = self.graphs.tables_made
        return (made, *self.hypotheses.layout, *self.engine.layout)

    def held(self) -> Iterator[Held]:
        """Yield the memory of all tables, and of the engine."""
        yield from self.hypotheses.held()
        yield from self.graphs.held()
        yield from self.engine.held()

    def close(self) -> None:
        """Leave all hypotheses to the learning modules, and free the tables."""
        self.residents.forget()
        self.plans.clear()
        self.graphs.clear()
        self.engine.close()
