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

from ..step import Step

__all__ = ["STEP"]

_BODY = """\
The backend `numpy` computes the evidence update from its description, in plain numpy.
Other backends are compared with it. Its results agree with
`reference` within 1e-9. It is made to be read, and takes somewhat longer.

To check: the order of its stages, against the hypotheses updaters."""

STEP = Step(
    title="feat: run the described evidence update in numpy",
    part="backends",
    after="numpy_hypotheses",
    body=_BODY,
    rewrites=(),
    overlay=(
        "backends/builtin/numpy.py",
        "backends/numpy/burst_sampling_update.py",
        "backends/numpy/default_update.py",
        "backends/numpy/graph_update.py",
    ),
    tests=(
        "backends/numpy/scene_state.py",
        "backends/numpy/backend_test.py",
        "backends/numpy/evidence_test.py",
        "frameworks/models/evidence_matching/numpy_test.py",
    ),
)
