# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How Monty calls the methods of a step, which once had no context."""

from __future__ import annotations

import libcst as cst

__all__ = ["ARGUMENTS", "can_be_called"]

_LM_STEP = ("ctx", "percepts")
_MONTY_STEP = ("ctx", "observations", "proprioceptive_state")
ARGUMENTS = {
    "matching_step": _LM_STEP,
    "exploratory_step": _LM_STEP,
    "_compute_possible_matches": ("ctx", "observations"),
    "_update_possible_matches": ("ctx",),
    "_step_learning_modules": ("ctx",),
    "_matching_step": _MONTY_STEP,
    "_exploratory_step": _MONTY_STEP,
}
"""What Monty passes at least to a method, by position."""

_ONCE_FIRST = {"observation", "observations", "percepts", "query"}
"""Names of the parameter that was the first one before there was a context."""


def can_be_called(method: cst.FunctionDef) -> bool:
    """Return whether a method can be called as Monty calls methods of its name."""
    params = method.params
    names = [one.name.value for one in (*params.posonly_params, *params.params)][1:]
    if names and names[0] in _ONCE_FIRST:
        return False
    takes_any = isinstance(params.star_arg, cst.Param)
    return takes_any or len(names) >= len(ARGUMENTS[method.name.value])
