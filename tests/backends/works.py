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

from typing import Callable

from tbp.monty.backends import EvidenceWork

__all__ = ["work_that"]


def work_that(
    update_graph: Callable[[str], None] = lambda _: None,
    lm_id: str = "LM_0",
    graph_ids: tuple[str, ...] = ("mug", "bowl"),
    in_threads: bool = True,
) -> EvidenceWork:
    """Return a work that updates graphs by a function."""
    return EvidenceWork(
        lm_id=lm_id,
        graph_ids=graph_ids,
        features={},
        displacement=None,
        update_graph=update_graph,
        in_threads=in_threads,
        updater=None,
        reason="a test",
    )
