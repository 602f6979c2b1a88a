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
from ..codemods.add_statement import AddStatement
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Learning modules that do the same computation can do it together. MontyBase forms
groups of them, by their class, and a config may set its own with lm_groups. They follow
when learning modules are added or replaced. Nothing uses the groups yet.

To check: that a config without lm_groups needs no change."""

_DOCUMENTATION = """\
Groups of learning modules whose work the backend may run as
one, as indices into learning_modules; each exactly once. If `None`,
learning modules of the same class form a group."""

_PROPERTY = """\
@property
def lm_groups(self) -> list[LMGroup]:
    return form_lm_groups(self.learning_modules, self._lm_groups)
"""

_MODULE = "tbp.monty.frameworks.models.lm_groups"
_FILE = "frameworks/models/monty_base.py"

STEP = Step(
    title="feat: form groups of learning modules",
    part="core",
    after="share_backend",
    body=_BODY,
    rewrites=(
        Rewrite(
            _FILE,
            AddInitParameter(
                class_name="MontyBase",
                parameter="lm_groups: Sequence[Sequence[int]] | None = None",
                documentation=_DOCUMENTATION,
                statement="self._lm_groups = lm_groups",
                imports=(NeededImport("typing", "Sequence"),),
            ),
        ),
        Rewrite(
            _FILE,
            AddMethod(
                class_name="MontyBase",
                place_after="is_done",
                method=_PROPERTY,
                imports=(
                    NeededImport("tbp.monty.backends", "LMGroup"),
                    NeededImport(_MODULE, "form_lm_groups"),
                ),
            ),
        ),
        # Groups that are not possible are refused at once.
        Rewrite(
            _FILE,
            AddStatement(
                class_name="MontyBase",
                method="__init__",
                statement="form_lm_groups(learning_modules, lm_groups)",
                place="last",
            ),
        ),
    ),
    overlay=("frameworks/models/lm_groups.py",),
    tests=("frameworks/models/lm_groups_test.py",),
)
