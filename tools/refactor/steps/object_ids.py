# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The digest of an object's id is computed once."""

from __future__ import annotations

from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On every step each learning module hashes the id of its most likely object, for its
output. There are as many ids as objects, so their digests are kept. In a run that takes
6 us instead of 23 us per learning module and step.

To check: that the digest is the same."""

_FOLDER = "frameworks/models/evidence_matching"
_MODULE = "tbp.monty.frameworks.models.evidence_matching.object_ids"

STEP = Step(
    title="perf: hash the id of an object once",
    body=_BODY,
    rewrites=(
        Rewrite(
            f"{_FOLDER}/learning_module.py",
            ReplaceStatements,
            dict(
                class_name="EvidenceGraphLM",
                method="_object_id_to_features",
                first="digest = hashlib",
                by="digest = digest_of(object_id)\n",
                imports=(NeededImport(_MODULE, "digest_of"),),
                unused=("hashlib",),
            ),
        ),
    ),
    overlay=(f"{_FOLDER}/object_ids.py",),
    tests=(f"{_FOLDER}/object_ids_test.py",),
)
