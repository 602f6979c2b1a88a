# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the series would change in a tree, without touching a file."""

from __future__ import annotations

from typing import Callable, Sequence

from .refusal import refused
from .run import Plan, Run
from .series import SERIES
from .step import Step
from .tree import Tree

__all__ = ["Plan", "make_plan"]


def make_plan(
    tree: Tree,
    series: Sequence[Step] = SERIES,
    progress: Callable[[Step], None] = lambda _: None,
) -> Plan:
    """Run every step of the series on a tree, in memory.

    Args:
        tree: The tree. It is only read.
        series: The steps.
        progress: Called with each step before it runs.

    Returns:
        The plan, empty if every step is already done.

    Raises:
        SeriesRefused: If rewrites do not fit the tree. It names all of them.
        DoesNotCompile: If a result is not valid Python.
    """
    run = Run(tree)
    for step in series:
        progress(step)
        run.apply(step)
    refusals = run.refusals()
    if refusals or run.conflicts:
        raise refused(refusals, run.conflicts)
    return run.plan()
