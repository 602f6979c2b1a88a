# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Compiled twins of what the package `numpy` states.

The only place that imports numba.
"""

from __future__ import annotations

from tbp.monty.backends.numba.displacing import displace
from tbp.monty.backends.numba.evidence import update
from tbp.monty.backends.numba.features import score_nodes
from tbp.monty.backends.numba.first_use import compile_all
from tbp.monty.backends.numba.new_hypotheses import append_samples
from tbp.monty.backends.numba.slopes import delete_declining, record
from tbp.monty.backends.numba.votes import add_votes

__all__ = [
    "add_votes",
    "append_samples",
    "compile_all",
    "delete_declining",
    "displace",
    "record",
    "score_nodes",
    "update",
]
