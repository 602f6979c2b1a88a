# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Votes are added to evidence without masked arrays and threads."""

from __future__ import annotations

from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Each learning module searched the votes for each graph in a thread of its own, without
a bound, and added them with masked arrays. Starting a thread and masking take longer
than the search, and most hypotheses have no vote within reach: the tree is told how
far that is. A backend that keeps the hypotheses in tables searches there.

To check: that of equally near votes the same ones are chosen as before; if the third
and the fourth nearest are equally far away, the tree is searched without the bound."""

_FOLDER = "frameworks/models/evidence_matching"
_FILE = f"{_FOLDER}/learning_module.py"
_MODULE = "tbp.monty.frameworks.models.evidence_matching.vote_evidence"

_RECEIVE = """\
for graph_id in self.get_all_known_object_ids():
    if graph_id in vote_data:
        self._update_evidence_with_vote(vote_data[graph_id], graph_id)
"""

_ADD = """\
add_votes(self, EvidenceGraphLM, votes, graph_id)
"""

STEP = Step(
    title="perf: add votes to evidence without masked arrays and threads",
    part="fork",
    after="array_votes",
    body=_BODY,
    rewrites=(
        Rewrite(
            _FILE,
            ReplaceStatements(
                class_name="EvidenceGraphLM",
                method="receive_votes",
                first="thread_list = []",
                last="if self.use_multithreading",
                by=_RECEIVE,
                unused=("threading",),
            ),
        ),
        Rewrite(
            _FILE,
            ReplaceStatements(
                class_name="EvidenceGraphLM",
                method="_update_evidence_with_vote",
                first="graph_location_vote = np.zeros",
                last="if self.past_weight",
                by=_ADD,
                imports=(NeededImport(_MODULE, "add_votes"),),
                unused=("KDTree",),
            ),
        ),
    ),
    overlay=(f"{_FOLDER}/vote_evidence.py",),
)
