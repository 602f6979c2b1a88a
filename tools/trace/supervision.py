# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What an experiment writes directly into learning modules, before they learn.

Supervised experiments tell learning modules which object they sensed. They do not call
a method for it, so we compare the attributes with those after Monty's last call.
"""

from __future__ import annotations

import copy
from typing import Any

from ..ending import CouldNotRun
from ..recording.digest import digest

__all__ = ["Supervision", "apply_supervision"]

ATTRIBUTES = (
    "detected_object",
    "detected_pose",
    "detected_rotation_r",
    "possible_matches",
)
STATISTICS = (
    "possible_matches",
    "detected_location_on_model",
    "detected_location_rel_body",
    "detected_rotation",
    "detected_scale",
)
"""Statistics of a learning module's buffer that it learns from."""


class Supervision:
    """Finds what was written since the last call of Monty."""

    def __init__(self, monty: Any) -> None:
        self._lms = monty.learning_modules
        self._left: list[dict] = []
        self.monty_returned()

    def monty_returned(self) -> None:
        """Stores the state after a call of Monty."""
        self._left = [_digests(_supervised(lm)) for lm in self._lms]

    def written(self) -> list[dict[str, dict]]:
        """Returns what others have written into each learning module."""
        return [
            {
                part: {
                    name: copy.deepcopy(value)
                    for name, value in values.items()
                    if digest(value) != left[part].get(name)
                }
                for part, values in _supervised(lm).items()
            }
            for lm, left in zip(self._lms, self._left, strict=True)
        ]


def apply_supervision(monty: Any, written: list[dict[str, dict]]) -> None:
    """Writes into learning modules what `Supervision.written` found in the trace.

    Raises:
        CouldNotRun: If it is not what that finds.
    """
    for lm, parts in zip(monty.learning_modules, written, strict=True):
        for name, value in parts["attributes"].items():
            _check_name(name, ATTRIBUTES)
            setattr(lm, name, value)
        for name, value in parts["statistics"].items():
            _check_name(name, STATISTICS)
            lm.buffer.stats[name] = value


def _check_name(name: str, allowed: tuple[str, ...]) -> None:
    if name not in allowed:
        raise CouldNotRun(f"a trace may not write {name!r} into learning modules")


def _supervised(lm: Any) -> dict[str, dict]:
    attributes = {name: getattr(lm, name) for name in ATTRIBUTES if hasattr(lm, name)}
    if not isinstance(attributes.get("possible_matches", []), list):
        # A mapping from names to graphs, which only matching code can write.
        del attributes["possible_matches"]
    stats = getattr(getattr(lm, "buffer", None), "stats", {})
    statistics = {name: stats[name] for name in STATISTICS if name in stats}
    return {"attributes": attributes, "statistics": statistics}


def _digests(parts: dict[str, dict]) -> dict[str, dict]:
    return {
        part: {name: digest(value) for name, value in values.items()}
        for part, values in parts.items()
    }
