# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes a Monty from what a trace says about it."""

from __future__ import annotations

import inspect
from typing import Any

from .blueprint import build
from .stand_ins import AGENT, StandInMotorSystem, StandInSensorModule

__all__ = ["make_monty"]


def make_monty(event: dict[str, Any]) -> Any:
    """Makes the Monty that an event of a trace describes, without an experiment.

    Args:
        event: The event ``monty``, decoded.
    """
    lms = {name: build(plan) for name, plan in event["learning_modules"].items()}
    for name, lm in lms.items():
        lm.learning_module_id = name
    sensor_modules = [StandInSensorModule(name) for name in event["sensor_modules"]]
    kind = event["class"]
    arguments = build(event["arguments"])
    arguments["sm_to_agent_dict"] = dict.fromkeys(event["sensor_modules"], AGENT)
    if "backend" not in inspect.signature(_base(kind)).parameters:
        # Pristine upstream has no groups.
        arguments.pop("lm_groups", None)
    monty = kind(
        sensor_modules=sensor_modules,
        learning_modules=list(lms.values()),
        motor_system=StandInMotorSystem(),
        **arguments,
    )
    monty._match_criterion = build(event["match_criterion"])
    for lm, memory, detailed in zip(
        lms.values(), event["memories"], event["detailed"], strict=True
    ):
        if memory.get("graph_memory"):
            lm.load_state_dict(memory)
        lm.has_detailed_logger = detailed
    return monty


def _base(kind: type) -> type:
    return next(base for base in kind.__mro__ if base.__name__ == "MontyBase")
