# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs learning modules that override a whole step, or parts of one, as before."""

from __future__ import annotations

import functools
import logging
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

from tbp.monty.backends import EvidenceOutcome
from tbp.monty.frameworks.models.abstract_monty_classes import LearningModule
from tbp.monty.frameworks.models.lm_steps import (
    dispatch_step,
    has_halves,
    process_step,
)
from tbp.monty.frameworks.models.pending_step import PendingStep
from tbp.monty.frameworks.models.whole_overrides import HALVES, whole_overrides

if TYPE_CHECKING:
    from tbp.monty.backends.shared import SharedBackend
    from tbp.monty.cmp import Message
    from tbp.monty.context import RuntimeContext
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = [
    "MixedOverrides",
    "UpdatedAlone",
    "dispatch_honoured_step",
    "half",
    "has_honoured_halves",
    "process_honoured_step",
    "refuse_mixed_overrides",
]

logger = logging.getLogger(__name__)


class MixedOverrides(TypeError):
    """A class overrides a whole method, and a class derived from it the halves."""


@dataclass
class UpdatedAlone(EvidenceOutcome):
    """The results of an update that did not go to a backend.

    Attributes:
        reason: Why it did not, as said of the learning module.
    """

    reason: str = ""


def dispatch_honoured_step(
    backend: SharedBackend,
    lm: LearningModule,
    step_type: str,
    ctx: RuntimeContext,
    percepts: Sequence[Message],
) -> PendingStep:
    """Return a pending step. That of one that overrides all of it has yet to begin."""
    with _naming(lm, "dispatching"):
        if not has_honoured_halves(lm, step_type):
            backend.note_alone(_lm_id(lm), f"has its own {step_type}, not in halves")
            return PendingStep(ctx, percepts)
        pending = dispatch_step(lm, step_type, ctx, percepts)
    if isinstance(pending, PendingStep) and isinstance(pending.matches, UpdatedAlone):
        backend.note_alone(_lm_id(lm), pending.matches.reason)
    return pending


def process_honoured_step(
    lm: LearningModule, step_type: str, pending: PendingStep
) -> None:
    """Finish a pending step."""
    with _naming(lm, "processing"):
        if has_honoured_halves(lm, step_type):
            process_step(lm, step_type, pending)
        else:
            getattr(lm, step_type)(pending.ctx, pending.percepts)


def has_honoured_halves(lm: LearningModule, step_type: str) -> bool:
    """Return whether the halves of a step do what the whole step does."""
    return (
        has_halves(lm, step_type)
        # The halves do not belong to a step that is set on the instance.
        and step_type not in getattr(lm, "__dict__", {})
        and not _overrides_step(type(lm), step_type)
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


@contextmanager
def _naming(lm: LearningModule, phase: str) -> Iterator[None]:
    """Say in exceptions which learning module they come from."""
    try:
        yield
    except BaseException as error:
        where = f"while {phase} the step of learning module {_lm_id(lm)}"
        if hasattr(error, "add_note"):
            error.add_note(where)
        else:  # before Python 3.11
            logger.error("%s: %s", where, error)  # noqa: TRY400
        raise


def _lm_id(lm: LearningModule) -> str:
    return str(getattr(lm, "learning_module_id", type(lm).__name__))


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
