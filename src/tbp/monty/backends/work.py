# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The work that learning modules hand to a backend."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, ContextManager, Sequence

__all__ = ["EvidenceWork"]


@dataclass(eq=False)
class EvidenceWork:
    """The evidence update of one learning module on one step.

    Attributes:
        lm_id: The learning module.
        graph_ids: The object graphs to update.
        update_graph: The learning module's own update of one graph, in Python. It
            stores the result where the learning module keeps its hypotheses.
        in_threads: Whether the graphs may be updated at the same time.
        context: Entered before the work is dispatched, and left after its results
            have been processed.
    """

    lm_id: str
    graph_ids: Sequence[str]
    update_graph: Callable[[str], object] = field(repr=False)
    in_threads: bool
    context: ContextManager = field(repr=False)
