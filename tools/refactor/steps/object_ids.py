# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is computed from an object's id is computed once."""

from __future__ import annotations

from ..codemods.add_decorator import AddDecorator
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On every step each learning module hashes the id of its most likely object, for its
output. There are as many ids as objects, so what is made of the hash is kept. In a run
the hash took 23 us per learning module and step.

To check: that it depends on nothing but the id."""

_FOLDER = "frameworks/models/evidence_matching"
_DECORATOR = "once_per_object_id"

STEP = Step(
    title="perf: hash the id of an object once",
    body=_BODY,
    rewrites=(
        Rewrite(
            f"{_FOLDER}/learning_module.py",
            AddDecorator,
            class_name="EvidenceGraphLM",
            method="_object_id_to_features",
            decorator=_DECORATOR,
            imports=(
                NeededImport(
                    "tbp.monty.frameworks.models.evidence_matching.object_ids",
                    _DECORATOR,
                ),
            ),
        ),
    ),
    overlay=(f"{_FOLDER}/object_ids.py",),
    tests=(f"{_FOLDER}/object_ids_test.py",),
)
