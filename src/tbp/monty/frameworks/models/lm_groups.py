# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Groups of learning modules that do the same computation."""

from __future__ import annotations

import inspect
from itertools import chain
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, Tuple

import numpy as np

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.abstract_monty_classes import LearningModule

__all__ = [
    "InvalidLMGroups",
    "LMGroup",
    "form_lm_groups",
    "in_original_order",
]

LMGroup = Tuple[int, ...]
"""Indices of learning modules, in ascending order."""


class InvalidLMGroups(ValueError):
    """The configured groups do not name every learning module exactly once."""


def form_lm_groups(
    learning_modules: Sequence[LearningModule],
    lm_groups: Iterable[Iterable[int]] | None = None,
) -> list[LMGroup]:
    """Form groups of learning modules.

    Args:
        learning_modules: All learning modules of a Monty.
        lm_groups: The groups to form, if they are given.

    Returns:
        The groups, ordered by their first learning module.

    Raises:
        InvalidLMGroups: If the given groups do not name every learning module once.
    """
    if lm_groups is not None:
        return _given_groups(len(learning_modules), lm_groups)

    # Settings need not be hashable, and a Monty has few kinds of learning modules.
    kinds: list[tuple[Any, list[int]]] = []
    for i, lm in enumerate(learning_modules):
        kind = _kind(lm)
        for other, members in kinds:
            if kind == other:
                members.append(i)
                break
        else:
            kinds.append((kind, [i]))
    return [tuple(members) for _, members in kinds]


def in_original_order(groups: Iterable[LMGroup]) -> list[int]:
    """Return the learning modules of all groups in the order Monty has them."""
    return sorted(chain.from_iterable(groups))


def _given_groups(count: int, lm_groups: Iterable[Iterable[int]]) -> list[LMGroup]:
    groups = [tuple(sorted(group)) for group in lm_groups]
    named = list(chain.from_iterable(groups))
    problems = {
        "unknown": sorted({i for i in named if i not in range(count)}),
        "repeated": sorted({i for i in named if named.count(i) > 1}),
        "missing": [i for i in range(count) if i not in named],
        "empty groups": [i for i, group in enumerate(groups) if not group],
    }
    found = [f"{what}: {where}" for what, where in problems.items() if where]
    if found:
        raise InvalidLMGroups(
            f"lm_groups must name each of the {count} learning modules exactly once, "
            f"by its index; {', '.join(found)}; got {groups}"
        )
    return sorted(groups)


def _kind(lm: LearningModule) -> Any:
    """Return a value that is equal for learning modules that compute the same.

    These are the class, the settings its constructor took, and its hypotheses updater
    with everything that one is made of. What a learning module knows and where its
    input comes from do not count: memory is left out, and input channels are compared
    by their position, as each learning module has names of its own for them.
    """
    channels = {name: i for i, name in enumerate(getattr(lm, "tolerances", None) or ())}
    memory = getattr(lm, "graph_memory", None)
    settings = {
        name: _comparable(getattr(lm, name), channels)
        for name in _constructor_parameters(type(lm))
        if hasattr(lm, name)
    }
    updater = getattr(lm, "hypotheses_updater", None)
    return type(lm), settings, _component(updater, channels, seen=[memory])


def _constructor_parameters(lm_class: type) -> list[str]:
    return [
        name
        for base in lm_class.__mro__
        if "__init__" in vars(base)
        for name in inspect.signature(base.__init__).parameters
    ]


def _component(component: Any, channels: Mapping[str, int], seen: list[Any]) -> Any:
    """Return what a component is made of, without the objects already seen."""
    if any(component is other for other in seen):
        return None
    seen.append(component)
    parts = {}
    for name, value in getattr(component, "__dict__", {}).items():
        is_plain = isinstance(value, type) or not hasattr(value, "__dict__")
        parts[name] = (
            _comparable(value, channels)
            if is_plain
            else _component(value, channels, seen)
        )
    return type(component), parts


def _comparable(value: Any, channels: Mapping[str, int]) -> Any:
    if isinstance(value, Mapping):
        return {channels.get(k, k): _comparable(v, channels) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_comparable(v, channels) for v in value]
    if hasattr(value, "as_matrix"):
        value = value.as_matrix()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if value is None or isinstance(value, (bool, int, float, str, type)):
        return value
    # Other objects are told apart by their class; what they hold may be state.
    return type(value)
