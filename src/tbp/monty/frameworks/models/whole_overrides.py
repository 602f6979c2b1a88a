# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Methods that come whole and in two halves, and subclasses that know only one form."""

from __future__ import annotations

__all__ = ["HALVES", "WholeOverridden", "refuse_whole_overrides", "whole_overrides"]

HALVES = {
    "matching_step": ("dispatch_matching_step", "process_matching_step"),
    "exploratory_step": ("dispatch_exploratory_step", "process_exploratory_step"),
    "_compute_possible_matches": (
        "_dispatch_compute_possible_matches",
        "_process_compute_possible_matches",
    ),
    "_update_possible_matches": (
        "_dispatch_update_possible_matches",
        "_process_update_possible_matches",
    ),
}
"""The halves of each method: the one that dispatches, and the one that processes."""


class WholeOverridden(TypeError):
    """A learning module overrides a method whose halves are called instead."""


def whole_overrides(lm_class: type, split_class: type) -> list[tuple[type, str]]:
    """Return which methods are overridden without their halves.

    Args:
        lm_class: The class of a learning module.
        split_class: The class it derives from, in which methods have halves.

    Returns:
        The classes and the names of the methods.
    """
    bases = lm_class.__mro__
    return [
        (base, method)
        for base in bases[: bases.index(split_class)]
        for method, halves in HALVES.items()
        if halves[0] in vars(split_class) and method in vars(base)
        if not any(half in vars(base) for half in halves)
    ]


def refuse_whole_overrides(lm_class: type, split_class: type) -> None:
    """Refuse a learning module with an override that would never be called.

    Args:
        lm_class: The class of the learning module.
        split_class: The class it derives from, in which methods have halves.

    Raises:
        WholeOverridden: If it overrides a method without its halves.
    """
    if hasattr(lm_class, "_update_evidence"):
        raise WholeOverridden(
            f"{lm_class.__name__} has _update_evidence, which is not called when "
            "learning modules are stepped: give it a hypotheses updater of its own"
        )
    for base, method in whole_overrides(lm_class, split_class):
        dispatch, process = HALVES[method]
        raise WholeOverridden(
            f"{base.__name__} overrides {method}, which is not called when learning "
            f"modules are stepped: override {dispatch} and {process} instead"
        )
