# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Loads or compiles all kernels before the first step; says if that takes long."""

from __future__ import annotations

import logging
import shutil
import sys
from functools import cache
from typing import Callable, Mapping

import numpy as np

from tbp.monty.backends.numba.compiling import folder, kernels
from tbp.monty.backends.numba.displacing import displace
from tbp.monty.backends.numba.evidence import update
from tbp.monty.backends.numba.features import score_nodes
from tbp.monty.backends.numba.new_hypotheses import append_samples
from tbp.monty.backends.numba.slopes import delete_declining, record
from tbp.monty.backends.numba.votes import add_votes
from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.tables.engine import Sample
from tbp.monty.backends.tables.graphs import GraphTable, make_graph
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import KernelWork
from tbp.monty.backends.tables.segments import SegmentKey

__all__ = ["call_all", "compile_all"]

logger = logging.getLogger(__name__)


@cache
def compile_all() -> None:
    """Call every kernel once, so that no step has to wait for the compiler."""
    table, graphs, work = HypothesisTable(2), _graphs(), _work()
    segment = table.index(SegmentKey("learning module", "object"))
    vector = np.zeros((1, 3))
    nodes = np.zeros(1, np.int64)
    sample = Sample(segment, 0, nodes, np.zeros(1), np.eye(3)[np.newaxis])
    votes = VotesForGraph(vector, np.zeros(1), 1.0, True, 1.0)
    call_all(
        {
            "new hypotheses": lambda: append_samples(table, graphs, [sample]),
            "displacements": lambda: displace(table, [segment], np.zeros(3)),
            "slopes": lambda: record(table, [segment], [1]),
            "declining hypotheses": lambda: delete_declining(
                table, [segment], [-np.inf]
            ),
            "votes": lambda: add_votes(table, segment, votes),
            "features": lambda: score_nodes(graphs, work),
            "evidence": lambda: update(table, graphs, work),
        }
    )


def call_all(calls: Mapping[str, Callable[[], object]]) -> None:
    """Call kernels, and say so as soon as one of them had to be compiled."""
    is_told = False
    for what, call in calls.items():
        if is_told:
            print(f" {what},", end="", file=sys.stderr, flush=True)
        _call(call)
        # The first takes a second, and tells that the others have to be compiled too.
        if not is_told and any(one.stats.cache_misses for one in kernels.values()):
            is_told = True
            print(_what_takes_long(), end="", file=sys.stderr, flush=True)
    if is_told:
        print(" done", file=sys.stderr, flush=True)


def _what_takes_long() -> str:
    if folder() is None:
        how_often = (
            "in every process, as neither the package's folder nor the user's can be "
            "written: set NUMBA_CACHE_DIR to a folder that can"
        )
    else:
        how_often = "once"
    return (
        "numba compiles its kernels for this machine, which takes up to half a minute, "
        f"{how_often}:"
    )


def _call(call: Callable[[], object]) -> None:
    """Call a kernel; if the disk is full or what it holds damaged, once more."""
    try:
        call()
    except Exception as error:
        kept_in = folder()
        if kept_in is None:
            raise
        logger.warning(
            "kernels in %s cannot be read or written (%s: %s); they are removed and "
            "compiled again",
            kept_in,
            type(error).__name__,
            error,
        )
        shutil.rmtree(kept_in, ignore_errors=True)
        call()


def _graphs() -> GraphTable:
    """Return the graph of an object with one node."""
    node = make_graph(
        "object",
        locations=np.zeros((1, 3)),
        pose_vectors=np.eye(3)[np.newaxis],
        pose_fully_defined=np.ones(1),
        features=np.zeros((1, 1)),
        radius=1.0,
    )
    return GraphTable({"object": node})


def _work() -> KernelWork:
    """Return the update of one hypothesis."""
    index, number = np.zeros(1, np.int64), np.ones(1)
    flag = np.ones(1, np.bool_)
    return KernelWork(
        revision=0,
        segments=index,
        is_displaced=flag,
        displacements=np.zeros((1, 3)),
        thresholds=-number,
        past_weights=number,
        present_weights=number,
        match_starts=np.arange(2),
        match_graphs=index,
        match_queries=index,
        score_starts=index,
        score_count=1,
        sensed=np.eye(3)[:2].reshape(1, 6),
        direction_known=flag,
        curvatures=number,
        pose_weights=np.ones((1, 2)),
        neighbors=index + 1,
        column_starts=np.arange(2),
        values=number,
        tolerances=number,
        weights=number,
        kinds=np.zeros(1, np.int8),
        increments=number,
    )
