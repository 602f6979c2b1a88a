# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Log messages of a step are formatted only when they are logged."""

from __future__ import annotations

from ..codemods.log_lazily import LogLazily
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Messages of every step hold whole arrays: what is sensed, the highest evidence of each
graph, and which hypotheses are possible. Numpy printed them also when nobody logs at
that level. They are handed to the logger as arguments now, and printed when they are
logged.

To check: that the messages read as before."""


def _lazily(file: str, class_name: str, method: str) -> Rewrite:
    return Rewrite(
        f"frameworks/models/{file}",
        LogLazily,
        dict(class_name=class_name, method=method),
    )


STEP = Step(
    title="perf: format arrays for the log only when they are logged",
    body=_BODY,
    rewrites=(
        _lazily("graph_matching.py", "GraphLM", "_make_query"),
        *(
            _lazily("evidence_matching/learning_module.py", "EvidenceGraphLM", method)
            for method in (
                *("_threshold_possible_matches", "get_possible_hypothesis_ids"),
                *("_check_for_unique_poses", "_check_for_symmetry"),
                "get_unique_pose_if_available",
            )
        ),
    ),
)
