# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which backend runs which learning module, and why not another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tbp.monty.backends.builtin.auto import by_priority
from tbp.monty.backends.builtin.cuda import CudaBackend
from tbp.monty.backends.builtin.null import NullBackend
from tbp.monty.backends.registry import BackendUnavailable, load_backend

from .demand import COUNTING
from .planned import Planned

__all__ = ["Placing", "place"]

LAST = "reference"
"""Runs whatever no other backend can."""


@dataclass(frozen=True)
class Placing:
    """Where learning modules run.

    Attributes:
        absent: Why backends cannot be used here, by name.
        refused: Why a backend cannot run a learning module, by both.
        auto_here: What `auto` would choose on this machine, by learning module.
        auto_with_gpu: What it would choose on this machine with a GPU.
    """

    absent: Mapping[str, str]
    refused: Mapping[str, Mapping[str, str]]
    auto_here: Mapping[str, str]
    auto_with_gpu: Mapping[str, str]


def place(planned: Planned, asked: str) -> Placing:
    """Ask backends which learning modules they can run.

    Args:
        planned: The learning modules.
        asked: A backend to ask besides those that `auto` chooses from.
    """
    here = [one.name for one in by_priority()]
    with_gpu = [CudaBackend.name, *(one for one in here if one != CudaBackend.name)]
    absent: dict[str, str] = {}
    refused: dict[str, dict[str, str]] = {}
    for name in dict.fromkeys([*with_gpu, asked]):
        try:
            backend: Any = load_backend(name)()
        except BackendUnavailable as reason:
            absent[name] = str(reason)
            if name not in COUNTING:
                continue
            backend = NullBackend()  # takes the same work
        answers = {lm.lm_id: backend.can_run(lm.next_work()) for lm in planned.lms}
        backend.close()
        refused[name] = {
            lm: answer for lm, answer in answers.items() if answer is not True
        }
    return Placing(
        absent=absent,
        refused=refused,
        auto_here=_chosen(planned, here, refused),
        auto_with_gpu=_chosen(planned, with_gpu, refused),
    )


def _chosen(
    planned: Planned, names: list[str], refused: Mapping[str, Mapping[str, str]]
) -> dict[str, str]:
    """Return the first backend that takes each learning module."""
    return {
        lm.lm_id: next((one for one in names if lm.lm_id not in refused[one]), LAST)
        for lm in planned.lms
    }
