# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The rules."""

from __future__ import annotations

from .rule import Rule
from .rules import (
    former_method,
    overridden_methods,
    renamed,
    replaced_method,
    split_override,
    written_hypotheses,
)

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    renamed.RULE,
    split_override.RULE,
    # These change nothing.
    renamed.ARGUMENTS_RULE,
    former_method.RULE,
    written_hypotheses.RULE,
    replaced_method.RULE,
    replaced_method.THREADS_RULE,
    *overridden_methods.RULES,
)
