# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads the parameters of a function."""

from __future__ import annotations

import libcst as cst

__all__ = ["all_parameters", "arguments_passing_on"]


def all_parameters(parameters: cst.Parameters) -> list[cst.Param]:
    """Return the parameters of every kind."""
    return [one for one in parameters.children if isinstance(one, cst.Param)]


def arguments_passing_on(parameters: cst.Parameters) -> list[str]:
    """Return the arguments of a call that passes all parameters but the first on."""
    positional = [*parameters.posonly_params, *parameters.params][1:]
    arguments = [parameter.name.value for parameter in positional]
    if isinstance(parameters.star_arg, cst.Param):
        arguments.append(f"*{parameters.star_arg.name.value}")
    arguments += [
        f"{parameter.name.value}={parameter.name.value}"
        for parameter in parameters.kwonly_params
    ]
    if parameters.star_kwarg is not None:
        arguments.append(f"**{parameters.star_kwarg.name.value}")
    return arguments
