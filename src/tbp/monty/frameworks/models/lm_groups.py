# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Groups of learning modules whose work can run as one."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Iterable, Sequence

from tbp.monty.backends import LMGroup
from tbp.monty.cmp import Message

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.abstract_monty_classes import LearningModule

__all__ = ["InvalidLMGroups", "LMInputs", "form_lm_groups"]

LMInputs = Sequence[Sequence[Message]]
"""For each learning module, the inputs of the current step."""


class InvalidLMGroups(ValueError):
    """The configured groups do not name every learning module exactly once."""


def form_lm_groups(
    learning_modules: Sequence[LearningModule],
    lm_groups: Iterable[Iterable[int]] | None = None,
) -> list[LMGroup]:
    """Form groups of learning modules.

    Args:
        learning_modules: All learning modules of a Monty.
        lm_groups: The groups to form, as indices. By default, learning modules of the
            same class form a group.

    Returns:
        The groups, ordered by their first learning module.

    Raises:
        InvalidLMGroups: If the given groups do not name every learning module once.
    """
    if lm_groups is None:
        members: dict[type, list[int]] = {}
        for i, lm in enumerate(learning_modules):
            members.setdefault(type(lm), []).append(i)
        return [tuple(group) for group in members.values()]
    groups = [tuple(sorted(group)) for group in lm_groups]
    named = sorted(chain.from_iterable(groups))
    if named != list(range(len(learning_modules))) or () in groups:
        raise InvalidLMGroups(
            f"lm_groups must name each of the {len(learning_modules)} learning modules "
            f"exactly once, by its index from 0 on, and no group may be empty; got "
            f"{[list(group) for group in groups]}"
        )
    return sorted(groups)
