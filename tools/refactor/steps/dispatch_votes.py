# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Votes are dispatched to all learning modules before any processes its votes."""

from __future__ import annotations

from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Learning modules receive votes one after the other, and graph by graph. A backend that
holds the hypotheses of all of them can add all votes at once, and on a GPU that takes
as long as adding one. So Monty hands all votes to the backend first. receive_votes then
processes them: it reads the evidence, and so waits for it.

To check: that overrides of send_vote_to_lm, receive_votes and
_update_evidence_with_vote are called as before."""

_NAME = "dispatch_votes"

_DISPATCH = f"""\
combined_votes = self._combine_votes(votes_per_lm)
{_NAME}(self, combined_votes)
"""

STEP = Step(
    title="perf: dispatch the votes for all learning modules at once",
    part="fork",
    after="add_votes",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/graph_matching.py",
            ReplaceStatements(
                class_name="MontyForGraphMatching",
                method="_vote",
                first="combined_votes = self._combine_votes(votes_per_lm)",
                by=_DISPATCH,
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.models.evidence_matching.vote_evidence",
                        _NAME,
                    ),
                ),
            ),
        ),
    ),
)
