# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs overrides of whole steps, and of whole methods within a step, as before."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable

from tbp.monty.frameworks.models.abstract_monty_classes import LearningModule
from tbp.monty.frameworks.models.lm_steps import LMSteps
from tbp.monty.frameworks.models.whole_overrides import HALVES, whole_overrides

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = [
    "HonouringLMSteps",
    "MixedOverrides",
    "half",
    "refuse_mixed_overrides",
]


class MixedOverrides(TypeError):
    """A class overrides a whole method, and a class derived from it the halves."""


class HonouringLMSteps(LMSteps):
    """Calls the whole step of a learning module that overrides the whole step."""

    def has_halves(self, lm: LearningModule) -> bool:
        # The halves do not belong to a step that is set on the instance.
        return (
            super().has_halves(lm)
            and self._step_type not in getattr(lm, "__dict__", {})
            and not _overrides_step(type(lm), self._step_type)
        )


def half(lm: EvidenceGraphLM, name: str) -> Callable[..., Any]:
    """Return half a method; where the whole is overridden, a substitute.

    The substitute for the first half keeps its arguments as they are, since an override
    may have its own signature. The one for the second half calls the override.

    Args:
        lm: The learning module.
        name: The name of the half.
    """
    whole = _overridden_whole(type(lm), name)
    if whole is None:
        return getattr(lm, name)
    if name == HALVES[whole][0]:
        return functools.partial(functools.partial, getattr(lm, whole))
    return _call


def refuse_mixed_overrides(lm_class: type, split_class: type) -> None:
    """Refuse a learning module if neither form calls all overrides in order.

    Args:
        lm_class: The class of the learning module.
        split_class: The class it derives from, in which methods have halves.

    Raises:
        MixedOverrides: If a class overrides halves of a method, and one of its bases
            overrides only the whole.
    """
    bases = lm_class.__mro__
    for base, method in whole_overrides(lm_class, split_class):
        for above in bases[: bases.index(base)]:
            if any(name in vars(above) for name in HALVES[method]):
                raise MixedOverrides(
                    f"{above.__name__} overrides halves of {method}, and its base "
                    f"{base.__name__} the whole: give {base.__name__} halves, too "
                    f"({' and '.join(HALVES[method])}), or {above.__name__} the whole"
                )


def _call(whole: Callable[[], None]) -> None:
    whole()


@functools.lru_cache(maxsize=256)
def _overridden_whole(lm_class: type, name: str) -> str | None:
    """Return the method that a half belongs to, if a class overrides the whole."""
    [whole] = [method for method, halves in HALVES.items() if name in halves]
    return whole if _is_whole(lm_class, whole) else None


def _is_whole(lm_class: type, method: str) -> bool:
    """Return whether a class overrides the whole method and not its halves."""
    for base in lm_class.__mro__:
        if any(name in vars(base) for name in HALVES[method]):
            return False
        if method in vars(base):
            return True
    return False


@functools.lru_cache(maxsize=256)
def _overrides_step(lm_class: type, step_type: str) -> bool:
    """Return whether a class overrides a whole step that a base has in halves."""
    dispatch, _ = HALVES[step_type]
    is_split = any(
        dispatch in vars(base)
        for base in lm_class.__mro__
        if base is not LearningModule
    )
    return is_split and _is_whole(lm_class, step_type)
