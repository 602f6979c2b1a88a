# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The arguments to build a Monty without a simulator, in any release."""

from __future__ import annotations

import inspect
from typing import Any, Sequence

from tbp.monty.frameworks.models.monty_base import MontyBase

__all__ = ["monty_arguments"]


def monty_arguments(learning_modules: Sequence[Any], **settings: Any) -> dict[str, Any]:
    """Return the arguments of a Monty with one sensor per learning module.

    Args:
        learning_modules: The learning modules.
        settings: Further arguments.
    """
    arguments = dict(
        sensor_modules=[],
        learning_modules=list(learning_modules),
        motor_system=None,
        sm_to_agent_dict={},
        sm_to_lm_matrix=[[i] for i in range(len(learning_modules))],
        lm_to_lm_matrix=None,
        lm_to_lm_vote_matrix=None,
        min_eval_steps=1,
        min_train_steps=1,
        num_exploratory_steps=1,
        **settings,
    )
    if "max_total_steps" in inspect.signature(MontyBase.__init__).parameters:
        arguments["max_total_steps"] = 1  # of releases before 0.55
    return arguments
