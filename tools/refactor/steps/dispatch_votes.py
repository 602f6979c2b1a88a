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

from ..codemods.add_method import AddMethod
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Learning modules receive votes one after the other, and graph by graph. A backend that
has the hypotheses of all of them can add all votes at once, and on a GPU that takes as
long as adding one. So Monty has all votes added first. receive_votes finds that, and
does the rest.

To check: that overrides of send_vote_to_lm, receive_votes and
_update_evidence_with_vote are called as before."""

_NAME = "dispatch_votes"
_MODULE = "tbp.monty.frameworks.models.evidence_matching.vote_evidence"

_DISPATCH = f"""\
combined_votes = self._combine_votes(votes_per_lm)
{_NAME}(self, MontyForGraphMatching, combined_votes)
"""

_METHOD = '''\
def votes_to_add(self, vote_data: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return votes, and the hypotheses to which `receive_votes` would add them."""
    return votes_to_add(self, EvidenceGraphLM, vote_data)
'''

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
                imports=(NeededImport(_MODULE, _NAME),),
            ),
        ),
        Rewrite(
            "frameworks/models/evidence_matching/learning_module.py",
            AddMethod(
                class_name="EvidenceGraphLM",
                place_after="receive_votes",
                method=_METHOD,
                imports=(NeededImport(_MODULE, "votes_to_add"),),
            ),
        ),
    ),
)
