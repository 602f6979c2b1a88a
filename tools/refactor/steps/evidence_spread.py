# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Objects are told apart without the standard deviation of their evidence."""

from __future__ import annotations

from typing import Any

from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Each time a learning module looks which objects are possible, it asks whether the
standard deviation of their evidence is above a limit, and computes the mean for a
message that is rarely logged. For ten objects that takes longer than all the rest of
the method, and it is done up to three times a step. Python computes it in an eighth of
the time; near the limit, where rounding may decide, numpy does. The message is made
only if it is logged. So is the message about the most likely hypothesis, for which the
evidence was rounded on every step. Python's numbers are compared with the threshold,
not numpy's.

To check: the margin for rounding in evidence_spread.py."""

_FOLDER = "frameworks/models/evidence_matching"
_FILE = f"{_FOLDER}/learning_module.py"
_MODULE = "tbp.monty.frameworks.models.evidence_matching.evidence_spread"


def _replaced(method: str, first: str, by: str, **more: Any) -> Rewrite:
    return Rewrite(
        _FILE,
        ReplaceStatements,
        class_name="EvidenceGraphLM",
        method=method,
        first=first,
        by=by,
        **more,
    )


STEP = Step(
    title="perf: compute the spread of the evidence in Python",
    body=_BODY,
    rewrites=(
        _replaced(
            "_threshold_possible_matches",
            "mean_ge = np.mean(",
            "numbers, max_ge, std_ge = spread_of(graph_evidences, limit=0.1)",
            last="std_ge = np.std(",
            imports=(NeededImport(_MODULE, "spread_of"),),
        ),
        _replaced(
            "_threshold_possible_matches",
            "pm = [graph_ids[i]",
            "pm = [graph_ids[i] for i, number in enumerate(numbers) if number > th]",
        ),
        _replaced(
            "_threshold_possible_matches",
            'logger.debug("evidences',
            """\
if logger.isEnabledFor(logging.DEBUG):
    logger.debug("evidences for each object: %s", graph_evidences)
    both = np.round([np.mean(graph_evidences), np.std(graph_evidences)], 3)
    logger.debug("mean evidence: %s, std: %s -> th=%s", *both, th)
""",
            last='logger.debug(\n    f"mean evidence',
        ),
        _replaced(
            "_calculate_most_likely_hypothesis",
            'logger.info(\n    f"current most likely',
            """\
if logger.isEnabledFor(logging.INFO):
    both = mlh["graph_id"], np.round(mlh["evidence"], 2)
    logger.info("current most likely hypothesis: %s with evidence %s", *both)
""",
        ),
    ),
    overlay=(f"{_FOLDER}/evidence_spread.py",),
    tests=(f"{_FOLDER}/evidence_spread_test.py",),
)
