# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Works for tests of backends."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Callable, ContextManager

from tbp.monty.backends import EvidenceWork

__all__ = ["work_that"]


def work_that(
    update_graph: Callable[[str], object] = lambda _: None,
    lm_id: str = "LM_0",
    graph_ids: tuple[str, ...] = ("mug", "bowl"),
    in_threads: bool = True,
    context: ContextManager | None = None,
) -> EvidenceWork:
    """Return a work that updates graphs by a function."""
    return EvidenceWork(
        lm_id=lm_id,
        graph_ids=graph_ids,
        update_graph=update_graph,
        in_threads=in_threads,
        context=context or nullcontext(),
    )
