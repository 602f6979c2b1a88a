# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses in the tables of a backend wait to be displaced."""

from __future__ import annotations

from ..codemods.add_statement import AddStatement
from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On a location-only step, hypotheses are displaced and nothing else. Those in the tables
of a backend were read, displaced with numpy graph by graph, and written back. Now the
displacement is kept with them. They are displaced when somebody reads their locations,
or by the backend before the next update, with the same bits. All graphs of a learning
module that nobody has read are displaced at once. Hypotheses that are not in
a table are displaced as before. Former and displaced hypotheses share the arrays that
have been read; before, they shared all but the locations.

To check: that hypotheses that somebody keeps do not move (residents_test.py)."""

_FOLDER = "tbp.monty.frameworks.models.evidence_matching"
_NAME = "displace_in_table"

_WAIT = """\
if isinstance(hypotheses, ResidentHypotheses) and hypotheses.in_table:
    return hypotheses.displaced(displacement)
"""


def _at_once(path: str, class_name: str) -> Rewrite:
    return Rewrite(
        path,
        ReplaceCall(
            class_name=class_name,
            method="_displace_hypotheses",
            function="self._hypotheses.items",
            by=_NAME,
            first="self, displacement",
            imports=(NeededImport(f"{_FOLDER}.{_NAME}", _NAME),),
        ),
    )


STEP = Step(
    title="perf: displace hypotheses in tables only when they are needed",
    part="fork",
    after="ask_backend",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/evidence_matching/hypotheses_displacer.py",
            AddStatement(
                class_name="DefaultHypothesesDisplacer",
                method="displace_hypotheses",
                statement=_WAIT,
                place="first",
                imports=(
                    NeededImport(
                        f"{_FOLDER}.resident_hypotheses", "ResidentHypotheses"
                    ),
                ),
            ),
        ),
        _at_once(
            "frameworks/models/evidence_matching/learning_module.py", "EvidenceGraphLM"
        ),
        _at_once(
            "frameworks/models/no_reset_evidence_matching.py",
            "NoResetEvidenceGraphLM",
        ),
    ),
    overlay=(f"frameworks/models/evidence_matching/{_NAME}.py",),
)
