# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""By how much the floats of a side may differ from those it is compared with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..workers.sides import BACKEND_VARIABLE, UPSTREAM, Side

__all__ = ["EXACT", "TOLERANCE", "tolerance_of", "tolerance_within"]

REFERENCE = "reference"

EXACT = frozenset({UPSTREAM, REFERENCE})
"""Sides that must agree to the last bit."""

TOLERANCE = 1e-9
"""By how much the floats of other sides may differ."""

CONFIGURED = re.compile(r"\+{0,2}experiment\.config\.monty_config\.backend=(.*)")


def tolerance_of(side: str) -> float:
    """Returns by how much the floats of a side may differ from upstream's.

    Args:
        side: `upstream`, or the name of a backend.
    """
    return 0.0 if side in EXACT else TOLERANCE


def tolerance_within(
    asked: float | None, side: Side, overrides: Sequence[str] = ()
) -> float:
    """Returns by how much the floats of a side may differ.

    Args:
        asked: What the command line says, if anything.
        side: The side.
        overrides: The Hydra overrides of its run, which may name a backend.
    """
    if asked is not None:
        return asked
    if side.name == UPSTREAM:
        return tolerance_of(UPSTREAM)
    configured = [found[1] for found in map(CONFIGURED.fullmatch, overrides) if found]
    # The variable overrides the config.
    chosen = side.env.get(BACKEND_VARIABLE) or (configured or [REFERENCE])[-1]
    return tolerance_of(chosen)
