# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Votes are arrays, and messages for those who read messages."""

from __future__ import annotations

from ..codemods.add_statement import AddStatement
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Every vote is a message, and every receiver gets a deep copy of it: with five learning
modules this is most of what voting costs. A learning module now sends arrays, and they
are transformed as a whole for each pair of learning modules. Whoever iterates over
votes gets messages, made when they are read; from then on the messages are the votes.

To check: that the arrays hold the same bits as the messages (votes_test.py), and that
the former loop still runs if one learning module sends something else."""

_FOLDER = "frameworks/models/evidence_matching"
_MODULE = "tbp.monty.frameworks.models.evidence_matching.votes"

_COMBINE = """\
if are_arrays(votes_per_lm):
    return combine_votes(votes_per_lm, self.lm_to_lm_vote_matrix)
"""

_SEND = """\
possible_states = votes_to_send(
    self._hypotheses, self.vote_evidence_threshold, self.learning_module_id
)
"""

STEP = Step(
    title="perf: send votes as arrays and transform them as a whole",
    part="fork",
    after="node_features",
    # Votes become arrays before arrays are added to evidence.
    body=_BODY,
    rewrites=(
        Rewrite(
            f"{_FOLDER}/learning_module.py",
            ReplaceStatements(
                class_name="EvidenceGraphLM",
                method="send_out_vote",
                first="possible_states = {}",
                last="for graph_id in evidences",
                by=_SEND,
                imports=(NeededImport(_MODULE, "votes_to_send"),),
                unused=("get_scaled_evidences",),
            ),
        ),
        Rewrite(
            f"{_FOLDER}/model.py",
            AddStatement(
                class_name="MontyForEvidenceGraphMatching",
                method="_combine_votes",
                statement=_COMBINE,
                place="first",
                imports=(
                    NeededImport(_MODULE, "are_arrays"),
                    NeededImport(_MODULE, "combine_votes"),
                ),
            ),
        ),
    ),
    overlay=(f"{_FOLDER}/votes.py",),
    tests=(f"{_FOLDER}/votes_test.py",),
)
