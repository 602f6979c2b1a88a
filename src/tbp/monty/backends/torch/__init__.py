# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The functions of the package `numba`, in torch on the CPU. Experimental.

The only place that imports torch.
"""

from tbp.monty.backends.tables.displacing import displace
from tbp.monty.backends.tables.host_rows import (
    add_votes,
    append_samples,
    delete_declining,
)
from tbp.monty.backends.torch.evidence import score_nodes, update
from tbp.monty.backends.torch.slopes import record

__all__ = [
    "add_votes",
    "append_samples",
    "delete_declining",
    "displace",
    "record",
    "score_nodes",
    "update",
]
