# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses may stay in the tables of a backend."""

from __future__ import annotations

from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Backends that stack hypotheses in tables keep them there from step to step. The work of
a learning module lets them: what is read of the hypotheses is copied when it is read,
and what is written to them is taken over before the next update.

To check: that nothing stale is ever read (tbp.monty.backends.stacked.residents)."""

_FOLDER = "tbp.monty.frameworks.models.evidence_matching"

STEP = Step(
    title="feat: let backends keep hypotheses from step to step",
    part="fork",
    # What the compiled backends need.
    after="honour_overrides",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/evidence_matching/learning_module.py",
            ReplaceCall(
                class_name="EvidenceGraphLM",
                method="_dispatch_update_possible_matches",
                function="described_work",
                by="resident_work",
                imports=(NeededImport(f"{_FOLDER}.resident_work", "resident_work"),),
                unused=("described_work",),
            ),
        ),
    ),
    overlay=(
        "backends/numpy/votes.py",
        "backends/stacked/handed_out.py",
        "backends/stacked/lazy_dict.py",
        "backends/stacked/resident_rows.py",
        "backends/stacked/waiting_votes.py",
        *(
            f"backends/tables/{module}.py"
            for module in (
                "__init__",
                "blocks",
                "cells",
                "displacing",
                "graphs",
                "held",
                "hypotheses",
                "likely_rows",
                "places",
                "segments",
            )
        ),
        "frameworks/models/evidence_matching/resident_hypotheses.py",
        "frameworks/models/evidence_matching/resident_work.py",
    ),
)
