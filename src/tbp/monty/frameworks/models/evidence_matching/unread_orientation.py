# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The orientation that a learning module sends out is made when it is read."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable

from tbp.monty.frameworks.utils.original_method import is_original
from tbp.monty.geometry import OrientationMatrix, Rotation

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["UnreadOrientation", "unread_orientation"]

_MODULE = "tbp.monty.frameworks.models.evidence_matching.learning_module"


class UnreadOrientation(OrientationMatrix):
    """An orientation that nobody has read. It becomes a plain one when it is read.

    A copy or a pickle of it is a plain one, too.
    """

    _make: Callable[[], OrientationMatrix]

    def __getattr__(self, name: str) -> Any:
        """Make the matrix, because it is asked for."""
        if name != "value":
            raise AttributeError(
                f"'OrientationMatrix' object has no attribute {name!r}"
            )
        make = vars(self).get("_make")
        if make is not None:  # Otherwise another thread has just made it.
            self.value = make().value
            self.__class__ = OrientationMatrix  # type: ignore[assignment]
            vars(self).pop("_make", None)
        return vars(self)["value"]

    def __repr__(self) -> str:
        return repr(OrientationMatrix(self.value))

    def __reduce__(self) -> Any:
        return OrientationMatrix, (self.value,)


def unread_orientation(lm: EvidenceGraphLM, rotation: Rotation) -> OrientationMatrix:
    """Return the orientation that a learning module sends out.

    Args:
        lm: The learning module.
        rotation: The rotation of its most likely hypothesis.
    """
    function = getattr(lm._object_pose_to_features, "__func__", None)
    if not _is_pure(function):
        return _orientation(lm, rotation)
    unread = UnreadOrientation.__new__(UnreadOrientation)
    unread._make = functools.partial(_orientation, lm, rotation)
    return unread


def _orientation(lm: EvidenceGraphLM, rotation: Rotation) -> OrientationMatrix:
    return lm._object_pose_to_features(lm._mlh_rotations.inverse_of(rotation))


@functools.lru_cache(maxsize=16)
def _is_pure(function: Callable[..., Any] | None) -> bool:
    """Return whether a function may be called later; an override may read anything."""
    return is_original(function, _MODULE, "EvidenceGraphLM._object_pose_to_features")
