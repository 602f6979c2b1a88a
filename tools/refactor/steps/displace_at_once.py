# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Location-only steps displace all hypotheses of a learning module at once."""

from __future__ import annotations

from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On a location-only step, hypotheses are displaced and nothing else, graph by graph. A
backend that has all of them displaces them at once, with the same bits. Hypotheses that
no backend has, and those of an updater that displaces in its own way, are displaced as
before.

To check: that an updater that displaces in another way is recognised."""

_FOLDER = "tbp.monty.frameworks.models.evidence_matching"
_NAME = "left_to_displace"


def _at_once(path: str, class_name: str) -> Rewrite:
    return Rewrite(
        path,
        ReplaceCall(
            class_name=class_name,
            method="_displace_hypotheses",
            function="self._hypotheses.items",
            by=_NAME,
            first="self, displacement",
            imports=(NeededImport(f"{_FOLDER}.displace_at_once", _NAME),),
        ),
    )


STEP = Step(
    title="perf: displace all hypotheses of a backend at once",
    part="fork",
    after="ask_backend",
    body=_BODY,
    rewrites=(
        _at_once(
            "frameworks/models/evidence_matching/learning_module.py", "EvidenceGraphLM"
        ),
        _at_once(
            "frameworks/models/no_reset_evidence_matching.py",
            "NoResetEvidenceGraphLM",
        ),
    ),
    overlay=("frameworks/models/evidence_matching/displace_at_once.py",),
)
