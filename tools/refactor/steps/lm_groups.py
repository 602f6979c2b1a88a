# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Monty forms groups of learning modules."""

from __future__ import annotations

from ..codemods.add_init_parameter import AddInitParameter
from ..codemods.add_method import AddMethod
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Learning modules that do the same computation can do it together. MontyBase forms
groups of them once, when it is built, and a config may set its own with lm_groups. A
learning module says what it computes with: those that say the same form a group.
Nothing uses the groups yet.

To check: what counts as the same (EvidenceGraphLM.computes_with), and that a config
without lm_groups needs no change."""

_DOCUMENTATION = """\
Groups of learning modules whose work the backend may run as
one, as indices into learning_modules; each exactly once. If `None`,
learning modules with equal `computes_with()` form a group."""

_INTERFACE_METHOD = '''\
def computes_with(self) -> Hashable:
    """Return a key. Learning modules with equal keys form a group."""
    return id(self)
'''

_EVIDENCE_METHOD = """\
def computes_with(self) -> Hashable:
    # A backend may use one radius per group; weights and tolerances may differ.
    return type(self), type(self.hypotheses_updater), self.max_match_distance
"""

_HASHABLE = NeededImport("typing", "Hashable")

STEP = Step(
    title="feat: form groups of learning modules",
    part="core",
    # Groups first, so that the runtime method gets its final signature at once.
    after="share_backend",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/abstract_monty_classes.py",
            AddMethod(
                class_name="LearningModule",
                place_after="exploratory_step",
                method=_INTERFACE_METHOD,
                imports=(_HASHABLE,),
            ),
        ),
        Rewrite(
            "frameworks/models/evidence_matching/learning_module.py",
            AddMethod(
                class_name="EvidenceGraphLM",
                place_after="reset_stm",
                method=_EVIDENCE_METHOD,
                imports=(_HASHABLE,),
            ),
        ),
        Rewrite(
            "frameworks/models/monty_base.py",
            AddInitParameter(
                class_name="MontyBase",
                parameter="lm_groups: Sequence[Sequence[int]] | None = None",
                documentation=_DOCUMENTATION,
                statement=(
                    "self.lm_groups = form_lm_groups(learning_modules, lm_groups)"
                ),
                imports=(
                    NeededImport("typing", "Sequence"),
                    NeededImport(
                        "tbp.monty.frameworks.models.lm_groups", "form_lm_groups"
                    ),
                ),
            ),
        ),
    ),
    overlay=("frameworks/models/lm_groups.py",),
    tests=("frameworks/models/lm_groups_test.py",),
)
