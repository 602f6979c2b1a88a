# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Evidence learning modules dispatch their update to the backend."""

from __future__ import annotations

from ..codemods.add_method import AddMethod
from ..codemods.add_statement import AddStatement
from ..codemods.extract_statements import ExtractStatements
from ..codemods.split_matching_step import SplitMatchingStep
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
EvidenceGraphLM.matching_step, and what it calls down to the evidence update, is split
into the two halves. Only _dispatch_update_possible_matches dispatches; the methods
above it prepare before or continue after. matching_step stays, as one half after the
other. Percepts are copied for the second half, because learning modules that share one
write their displacement into it.

A subclass that overrides a whole method and not its halves would be passed over. It is
refused when it is constructed, with the names of the halves to override.

To check: that no statement moved across another one within a learning module."""

_GRAPH_LM = "frameworks/models/graph_matching.py"
_EVIDENCE_LM = "frameworks/models/evidence_matching/learning_module.py"
_MODELS = "tbp.monty.frameworks.models"

_QUERY = '''\
def _make_query(self, observations, first_movement_detected) -> list:
    """Return the query that the stored graphs are matched with."""
'''

_DISPATCH = '''\
def _dispatch_compute_possible_matches(
    self, ctx: RuntimeContext, observations, first_movement_detected=True
) -> Any:
    """Return the update of possible matches, dispatched."""
    query = self._make_query(observations, first_movement_detected)
    return self._dispatch_update_possible_matches(ctx, query=query)
'''

_PROCESS = '''\
def _process_compute_possible_matches(self, pending: Any) -> None:
    """Process the updated possible matches."""
    self._process_update_possible_matches(pending)
'''


STEP = Step(
    title="feat!: split the matching step of EvidenceGraphLM in two halves",
    part="core",
    after="two_phases",
    body=_BODY,
    rewrites=(
        Rewrite(
            _GRAPH_LM,
            ExtractStatements(
                class_name="GraphLM",
                method="_compute_possible_matches",
                first="if first_movement_detected:",
                last="logger.debug(",
                variable="query",
                extracted=_QUERY,
                by="query = self._make_query(observations, first_movement_detected)",
            ),
        ),
        Rewrite(
            _EVIDENCE_LM,
            AddMethod(
                class_name="EvidenceGraphLM",
                place_after="_process_update_possible_matches",
                method=_DISPATCH,
                later=("half",),
            ),
        ),
        Rewrite(
            _EVIDENCE_LM,
            AddMethod(
                class_name="EvidenceGraphLM",
                place_after="_dispatch_compute_possible_matches",
                method=_PROCESS,
                later=("half",),
            ),
        ),
        Rewrite(
            _EVIDENCE_LM,
            SplitMatchingStep(
                class_name="EvidenceGraphLM",
                imports=(
                    NeededImport("copy", "copy"),
                    NeededImport(f"{_MODELS}.pending_step", "PendingStep"),
                ),
            ),
        ),
        Rewrite(
            _EVIDENCE_LM,
            AddStatement(
                class_name="EvidenceGraphLM",
                method="__init__",
                statement="refuse_whole_overrides(type(self), EvidenceGraphLM)",
                place="last",
                later=("refuse_mixed_overrides",),
                imports=(
                    NeededImport(
                        f"{_MODELS}.whole_overrides", "refuse_whole_overrides"
                    ),
                ),
            ),
        ),
    ),
    overlay=("frameworks/models/whole_overrides.py",),
    tests=("frameworks/models/whole_overrides_test.py",),
)
