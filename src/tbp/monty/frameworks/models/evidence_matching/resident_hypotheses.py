# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses whose arrays a backend holds."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from tbp.monty.backends.stacked.resident_rows import ResidentRows
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses

__all__ = ["ResidentHypotheses"]


class ResidentHypotheses(ResidentRows, Hypotheses):
    """Hypotheses whose arrays a backend holds.

    A copy or a pickle of it is a plain `Hypotheses`.
    """

    def __reduce__(self) -> tuple[type, tuple[npt.NDArray[Any], ...]]:
        arrays = (self.evidence, self.locations, self.poses, self.possible)
        return Hypotheses, arrays
