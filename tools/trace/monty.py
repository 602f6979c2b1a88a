# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes a Monty from what a trace says about it.

Stand-ins replace the parts that it needs besides its learning modules.
"""

from __future__ import annotations

import inspect
from typing import Any

from .blueprint import build

__all__ = ["AGENT", "make_monty", "nothing_sensed"]

AGENT = "replayed"


def make_monty(event: dict[str, Any]) -> Any:
    """Makes the Monty that a decoded event ``monty`` describes."""
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


class StandInSensorModule:
    """Reports what it is given: the recorded report of a sensor module."""

    def __init__(self, sensor_module_id: str) -> None:
        self.sensor_module_id = sensor_module_id
        self.is_exploring = False
        self.processed_obs: list = []

    def reset(self) -> None:
        pass

    def update_state(self, agent: Any) -> None:
        pass

    def step(self, _ctx: Any, observation: Any, _motor_only_step: bool) -> Any:
        return observation

    def propose_goals(self) -> list:
        return []

    def propose_region(self) -> None:
        return None

    def state_dict(self) -> dict[str, Any]:
        return {}


class StandInMotorSystem:
    """Moves nothing.

    Attributes:
        motor_only_step: Whether the next step skips the learning modules.
    """

    def __init__(self) -> None:
        self.motor_only_step = False

    def __call__(self, *_: Any) -> list:
        return []

    def reset(self) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        return {}


def nothing_sensed(sensor_module_id: str) -> Any:
    """Returns the report of a sensor module that no learning module listens to."""
    from tbp.monty.cmp import Message  # noqa: PLC0415 of the side that is replayed

    return Message(
        location=None,
        morphological_features={},
        non_morphological_features={},
        confidence=0.0,
        pass_message=False,
        sender_id=sensor_module_id,
        sender_type="SM",
        process_features_in_lm=False,
    )
