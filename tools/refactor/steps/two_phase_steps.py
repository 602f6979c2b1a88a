# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The step of a learning module comes in two halves."""

from __future__ import annotations

from ..codemods.add_base import AddBase
from ..codemods.queue_evidence_update import QueueEvidenceUpdate
from ..codemods.split_phase import SplitPhase, split_chain
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
matching_step, and what it calls down to the evidence update, can be called in two
halves: one that dispatches the work, one that processes the results. What the second
needs travels in a small object. The whole methods stay, as one half after the other,
for whoever steps a learning module alone. The loop over the graphs and its threads
becomes one piece of work that the learning module's backend runs.

A subclass that overrides a whole method, or a half, gets the other form from
TwoPhaseMethods.

To check: that no statement moved across another one within a learning module; that
exceptions of evidence updates, which threads used to print, are raised."""

_GRAPH_LM = "frameworks/models/graph_matching.py"
_EVIDENCE_LM = "frameworks/models/evidence_matching/learning_module.py"
_NO_RESET_LM = "frameworks/models/no_reset_evidence_matching.py"

_STEP = dict(
    own_halves=True,
    types={"feature_percepts": "list[Message]"},
    with_swallows=False,
)
_MATCHES = dict(own_halves=True)


def _split_step(file: str, class_name: str) -> Rewrite:
    return Rewrite(
        file,
        SplitPhase,
        dict(
            class_name=class_name,
            method="matching_step",
            call="self._compute_possible_matches",
            **_STEP,
        ),
    )


STEP = Step(
    title="refactor: split the step of learning modules into two phases",
    body=_BODY,
    rewrites=(
        Rewrite(
            _GRAPH_LM,
            AddBase,
            dict(
                class_name="GraphLM",
                base="TwoPhaseMethods",
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.models.two_phase", "TwoPhaseMethods"
                    ),
                ),
            ),
        ),
        *split_chain(
            _GRAPH_LM,
            "GraphLM",
            ("matching_step", "_compute_possible_matches"),
            "self._update_possible_matches",
            {"matching_step": _STEP, "_compute_possible_matches": _MATCHES},
        ),
        Rewrite(
            _EVIDENCE_LM,
            QueueEvidenceUpdate,
            dict(
                class_name="EvidenceGraphLM",
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.models.evidence_matching.evidence_work",
                        "evidence_work",
                    ),
                ),
            ),
        ),
        Rewrite(
            _EVIDENCE_LM,
            SplitPhase,
            dict(
                class_name="EvidenceGraphLM",
                method="_update_possible_matches",
                call="self.backend.run",
                dispatch="self.backend.dispatch",
                process="self.backend.result",
                ticket="ticket",
                ticket_type="Ticket",
                own_halves=True,
                imports=(NeededImport("tbp.monty.backends", "Ticket"),),
            ),
        ),
        _split_step(_EVIDENCE_LM, "EvidenceGraphLM"),
        _split_step(_NO_RESET_LM, "NoResetEvidenceGraphLM"),
    ),
    overlay=("frameworks/models/two_phase.py",),
    tests=("frameworks/models/two_phase_test.py",),
)
