# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Groups of learning modules, as people write them: `one`, `each` or `0-1,2-4`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ending import CouldNotRun

__all__ = ["Groups", "InvalidGroups", "read_groups", "show_groups"]

Groups = tuple[tuple[int, ...], ...]
"""For each group the indices of its learning modules."""


class InvalidGroups(CouldNotRun):
    """The groups do not name each learning module exactly once."""


def read_groups(text: str, lms: int) -> Groups:
    """Return the groups that a text stands for.

    Args:
        text: `one` for all in one group, `each` for one group per learning module, or
            the groups with a comma between them, each as an index or a range.
        lms: How many learning modules there are.

    Raises:
        InvalidGroups: If the text is none of these, or does not name each learning
            module once.
    """
    if text == "one":
        return (tuple(range(lms)),)
    if text == "each":
        return tuple((i,) for i in range(lms))
    try:
        groups = tuple(_range(part) for part in text.split(","))
    except ValueError:
        raise InvalidGroups(
            f"groups {text!r}: expected 'one', 'each', or ranges as in 0-1,2-4"
        ) from None
    if sorted(i for group in groups for i in group) != list(range(lms)):
        raise InvalidGroups(
            f"groups {text!r}: each of the learning modules 0 to {lms - 1} must be "
            "named exactly once"
        )
    return groups


def show_groups(groups: Iterable[Sequence[int]]) -> str:
    """Return the text that stands for groups."""
    return ",".join(
        f"{group[0]}-{group[-1]}" if len(group) > 1 else f"{group[0]}"
        for group in groups
    )


def _range(text: str) -> tuple[int, ...]:
    first, dash, last = text.partition("-")
    group = tuple(range(int(first), int(last if dash else first) + 1))
    if not group:
        raise ValueError(f"{text} is empty")
    return group
