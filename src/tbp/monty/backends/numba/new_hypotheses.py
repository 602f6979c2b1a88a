# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adding new hypotheses to many segments at once, compiled.

What `numpy.new_hypotheses` states, for many samples. Poses are products of small
matrices, for which numpy calls a general routine of BLAS each; here they are written
out, and rounded as numpy's are.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numba.compiling import called, launched, tuple_of
from tbp.monty.backends.numba.rounding import fma
from tbp.monty.backends.numpy.rounding import numpy_fuses_matrix_products
from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.engine import Sample
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["append_samples"]


class _Samples(NamedTuple):
    row_starts: npt.NDArray[np.int64]
    graphs: npt.NDArray[np.int64]
    node_starts: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    is_aligned: npt.NDArray[np.bool_]
    pose_starts: npt.NDArray[np.int64]
    poses: npt.NDArray[np.float64]


class _Nodes(NamedTuple):
    node_starts: npt.NDArray[np.int64]
    locations: npt.NDArray[np.float64]
    frames: npt.NDArray[np.float64]


class _Hypotheses(NamedTuple):
    evidence: npt.NDArray[np.float64]
    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]


def append_samples(
    table: HypothesisTable, graphs: GraphTable, samples: Sequence[Sample]
) -> None:
    """Add new hypotheses in this order."""
    samples = [sample for sample in samples if len(sample)]
    if not samples:
        return
    starts = table.extend(
        [sample.segment for sample in samples], [len(sample) for sample in samples]
    )
    poses = [sample.poses for sample in samples]
    _append(
        numpy_fuses_matrix_products(),
        _Samples(
            row_starts=starts,
            graphs=np.array([sample.graph for sample in samples], dtype=np.int64),
            node_starts=starts_of([len(sample.nodes) for sample in samples]),
            nodes=np.concatenate([sample.nodes for sample in samples]),
            scores=np.concatenate(
                [sample.scores[sample.nodes] + sample.head_start for sample in samples]
            ),
            is_aligned=np.array([sample.is_aligned for sample in samples]),
            pose_starts=starts_of([len(part) for part in poses]),
            poses=np.ascontiguousarray(np.concatenate(poses), dtype=np.float64),
        ),
        _Nodes(*tuple_of(graphs.arrays, _Nodes)),
        _Hypotheses(table.evidence, table.locations, table.poses),
    )


@launched()
def _append(fused, samples, graphs, hypotheses):
    """Write new hypotheses; `fused` tells how products are rounded."""
    # Read from their tuples once.
    nodes, scores, sensed = samples.nodes, samples.scores, samples.poses
    evidence, locations = hypotheses.evidence, hypotheses.locations
    poses = hypotheses.poses
    for sample in range(len(samples.row_starts)):
        row = samples.row_starts[sample]
        first_node = graphs.node_starts[samples.graphs[sample]]
        is_aligned = samples.is_aligned[sample]
        for pose in range(samples.pose_starts[sample], samples.pose_starts[sample + 1]):
            for place in range(
                samples.node_starts[sample], samples.node_starts[sample + 1]
            ):
                node = first_node + nodes[place]
                evidence[row] = scores[place]
                for i in range(3):
                    locations[row, i] = graphs.locations[node, i]
                    for j in range(3):
                        if is_aligned:
                            poses[row, i, j] = _product(
                                fused, graphs.frames, node, i, sensed, pose, j
                            )
                        else:
                            poses[row, i, j] = sensed[pose, i, j]
                row += 1


@called
def _product(fused, frames, node, i, poses, pose, j):
    first = frames[node, 0, i] * poses[pose, 0, j]
    if fused:
        second = fma(frames[node, 1, i], poses[pose, 1, j], first)
        return fma(frames[node, 2, i], poses[pose, 2, j], second)
    second = first + frames[node, 1, i] * poses[pose, 1, j]
    return second + frames[node, 2, i] * poses[pose, 2, j]
