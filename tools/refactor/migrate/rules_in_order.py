# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The rules, in the order in which they are applied."""

from __future__ import annotations

from .rule import Rule
from .rules import (
    displacer_protocol,
    former_method,
    part_of_step,
    patched_method,
    resampling_name,
    split_override,
    step_learning_modules,
    step_signature,
    stepwise_targets,
    threaded_step,
    update_evidence,
    update_threads,
    updater_protocol,
)

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    # The most common case. The rules below see what it did not split.
    split_override.RULE,
    update_threads.RULE,
    update_evidence.RULE,
    step_learning_modules.RULE,
    stepwise_targets.RULE,
    # Before the displacer's rule: an updater changes together with its calls.
    updater_protocol.RULE,
    displacer_protocol.RULE,
    resampling_name.RULE,
    # These only mark, so they run on what the others left.
    step_signature.RULE,
    part_of_step.RULE,
    former_method.RULE,
    patched_method.RULE,
    threaded_step.RULE,
)
