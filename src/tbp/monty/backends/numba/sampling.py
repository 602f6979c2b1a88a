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

from tbp.monty.backends.numba import kernels
from tbp.monty.backends.numpy.rounding import numpy_fuses_matrix_products
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.samples import Sample

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


class _Hypotheses(NamedTuple):
    evidence: npt.NDArray[np.float64]
    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]
    possible: npt.NDArray[np.bool_]


def append_samples(
    table: HypothesisTable, graphs: GraphTable, samples: Sequence[Sample]
) -> None:
    """Add new hypotheses, none of them possible yet.

    Args:
        table: The hypotheses.
        graphs: The graphs.
        samples: What to add, in this order.
    """
    samples = [sample for sample in samples if len(sample)]
    if not samples:
        return
    starts = table.extend(
        [sample.segment for sample in samples], [len(sample) for sample in samples]
    )
    poses = [s.poses if s.frames is None else s.frames for s in samples]
    kernels.append(
        numpy_fuses_matrix_products(),
        _Samples(
            row_starts=starts,
            graphs=np.array([sample.graph for sample in samples], dtype=np.int64),
            node_starts=_starts([len(sample.nodes) for sample in samples]),
            nodes=np.concatenate([sample.nodes for sample in samples]),
            scores=np.concatenate(
                [sample.scores[sample.nodes] + sample.head_start for sample in samples]
            ),
            is_aligned=np.array([sample.frames is not None for sample in samples]),
            pose_starts=_starts([len(part) for part in poses]),
            poses=np.ascontiguousarray(np.concatenate(poses), dtype=np.float64),
        ),
        graphs.arrays,
        _Hypotheses(table.evidence, table.locations, table.poses, table.possible),
    )


def _starts(counts: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
