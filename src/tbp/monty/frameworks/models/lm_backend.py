# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The backend that learning modules share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

if TYPE_CHECKING:
    from tbp.monty.backends import Backend
    from tbp.monty.frameworks.models.abstract_monty_classes import LearningModule

__all__ = ["share_backend"]


def share_backend(learning_modules: Iterable[LearningModule], backend: Backend) -> None:
    """Have the hypotheses updaters of learning modules use one backend."""
    for lm in learning_modules:
        updater: Any = getattr(lm, "hypotheses_updater", None)
        if hasattr(updater, "backend"):
            updater.backend = backend
