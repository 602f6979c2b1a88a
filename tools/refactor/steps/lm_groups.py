# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Monty knows which of its learning modules go together."""

from __future__ import annotations

from ..codemods.add_init_parameter import AddInitParameter
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Learning modules that do the same computation can do it together. MontyBase forms
groups of them once, when it is built, and a config may set its own with lm_groups.
Nothing uses the groups yet.

To check: what counts as the same (form_lm_groups), and that a config without
lm_groups needs no change."""

_DOCUMENTATION = """\
groups of learning modules that are stepped together, as
indices into learning_modules; each exactly once. If `None`, learning
modules of the same class and with the same settings form a group."""

STEP = Step(
    title="feat: form groups of learning modules",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/monty_base.py",
            AddInitParameter,
            dict(
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
