# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Parts that a Monty needs besides its learning modules, unused in a replay."""

from __future__ import annotations

from typing import Any

__all__ = ["AGENT", "StandInMotorSystem", "StandInSensorModule", "nothing_sensed"]

AGENT = "replayed"


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
