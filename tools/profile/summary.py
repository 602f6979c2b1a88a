# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What ran where, and the table of phases that a run ends with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tbp.monty.backends.builtin.auto import AutoBackend, Move

from ..table import table
from .beliefs import lm_id
from .folder import ProfileFolder
from .schema import PHASES

__all__ = ["ran_where", "show_phases"]


def show_phases(folder: ProfileFolder, steps: int) -> str:
    """Returns a table of the phases of a run, the longest one first."""
    whole = sum(folder.nanoseconds.values())
    rows = [
        (
            phase,
            f"{nanoseconds / 1e9:.3f}",
            f"{nanoseconds / whole:.1%}",
            str(folder.calls[phase]),
            f"{nanoseconds / 1e6 / steps:.3f}" if steps else "-",
            PHASES[phase],
        )
        for phase, nanoseconds in folder.nanoseconds.most_common()
    ]
    rows.append(("whole", f"{whole / 1e9:.3f}", "", "", "", ""))
    return table(("phase", "seconds", "share", "calls", "ms per step", ""), rows)


def ran_where(monty: Any, groups: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Returns which backend ran what, as `schema` has it.

    Args:
        monty: The Monty.
        groups: The groups that the backend has stacked. A backend that stacks nothing
            has those of Monty.
    """
    names = [lm_id(lm) for lm in monty.learning_modules]
    shared = monty.backend
    return {
        "backend": shared.name,
        "lms": names,
        "groups": list(groups)
        or [[names[i] for i in group] for group in monty.lm_groups],
        "ran": {**_ran(shared.backend, shared.ran), **_ran_alone(shared)},
        "fallbacks": [
            {
                "lm": move.lm_id,
                "from": move.before,
                "to": move.after,
                "reason": move.reason,
            }
            for move in _moves(shared.backend)
        ],
    }


def _ran(backend: Any, updates: Mapping[str, int]) -> dict[str, Any]:
    """Returns on which backend each learning module's work ran, at last."""
    found = {
        lm: {"backend": backend.name, "updates": count, "reason": None}
        for lm, count in updates.items()
    }
    if isinstance(backend, AutoBackend):
        reasons = {move.lm_id: move.reason for move in backend.moves}
        for chosen, counts in backend.ran.items():
            for lm, count in counts.items():
                found[lm] = {
                    "backend": chosen.name,
                    "updates": count,
                    "reason": reasons.get(lm),
                }
    return found


def _ran_alone(shared: Any) -> dict[str, Any]:
    return {
        lm: {"backend": "none", "updates": count, "reason": shared.reasons[lm]}
        for lm, count in shared.ran_alone.items()
    }


def _moves(backend: Any) -> Sequence[Move]:
    return backend.moves if isinstance(backend, AutoBackend) else ()
