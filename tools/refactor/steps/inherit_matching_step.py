# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The unsupervised learning module inherits the step instead of repeating it."""

from __future__ import annotations

from ..codemods.remove_repeated_method import RemoveRepeatedMethod
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
NoResetEvidenceGraphLM repeats matching_step and exploratory_step of EvidenceGraphLM
line by line; what differs is in the methods that they call. The matching step is about
to be split, and there should be one of it.

To check: that each two are the same. The codemod compares them, and stops if they are
not."""

STEP = Step(
    title="refactor: inherit the steps that were repeated",
    part="core",
    body=_BODY,
    rewrites=tuple(
        Rewrite(
            "frameworks/models/no_reset_evidence_matching.py",
            RemoveRepeatedMethod(
                class_name="NoResetEvidenceGraphLM",
                method=method,
                base_file="frameworks/models/evidence_matching/learning_module.py",
                base_class="EvidenceGraphLM",
                unused=("RuntimeContext", "is_location_only_step"),
            ),
        )
        for method in ("matching_step", "exploratory_step")
    ),
)
