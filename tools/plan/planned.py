# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is planned: learning modules in groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tbp.monty.backends.protocol import LMGroup

from .lms import PlannedLM

__all__ = ["Planned"]


@dataclass(frozen=True)
class Planned:
    """Learning modules, and how they are grouped.

    Attributes:
        title: What it is, for people.
        lms: The learning modules that dispatch work.
        groups: Indices of those that run as one.
        why: For each group, why it is one.
        copies: For how many graphs each of the memory stands.
        others: Learning modules that dispatch no work, and why.
    """

    title: str
    lms: Sequence[PlannedLM]
    groups: Sequence[LMGroup]
    why: Sequence[str]
    copies: int = 1
    others: Sequence[tuple[str, str]] = ()

    def without(self, refused: Collection[str]) -> Planned:
        """Return what is planned without some learning modules.

        Args:
            refused: Their names.
        """
        kept = [i for i, lm in enumerate(self.lms) if lm.lm_id not in refused]
        place_of = {i: place for place, i in enumerate(kept)}
        groups = [tuple(place_of[i] for i in g if i in place_of) for g in self.groups]
        return Planned(
            title=self.title,
            lms=[self.lms[i] for i in kept],
            groups=[group for group in groups if group],
            why=[why for why, group in zip(self.why, groups, strict=True) if group],
            copies=self.copies,
            others=self.others,
        )
