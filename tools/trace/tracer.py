# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Records the calls of a Monty, and what its learning modules believe after them.

Everything that changes learning modules goes through a few methods of their Monty. We
wrap these on the experiment's Monty. Calls that Monty makes to itself are not recorded,
because a replay makes them again. The sensor modules' reports take the place of
observations.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

from ..recording.digest import digest
from ..recording.fault import own_work
from ..recording.file import RecordingWriter
from .blueprint import blueprint
from .memory import memory_of
from .results import Results
from .supervision import Supervision

__all__ = ["CALLS", "Tracer"]

CALLS = (
    "set_experiment_mode",
    "reset",
    "fixme_set_ground_truth",
    "switch_to_matching_step",
    "switch_to_exploratory_step",
    "deal_with_time_out",
    "set_done",
    "load_state_dict",
    "restore",
    "update_ltm",
)
"""Methods of a Monty, besides ``step``, with which experiments change its modules."""

OF_OTHERS = {
    "learning_modules",
    "sensor_modules",
    "motor_system_config",
    "attention_system",
    "monty_class",
    "monty_args",
    "backend",
}
"""Entries of Monty's configuration that are not passed on unchanged."""


class Tracer:
    """Traces the Monty of an experiment."""

    def __init__(self, writer: RecordingWriter, config: Any) -> None:
        """Makes a tracer.

        Args:
            writer: Where to write.
            config: The configuration of the experiment, not instantiated.
        """
        self._config = config
        self._writer = writer
        self._results = Results(writer)
        self._is_written = False
        self._depth = 0
        self._error: BaseException | None = None
        self._supervision: Supervision
        self._step: dict[str, Any] = {}

    def attach(self, monty: Any) -> None:
        """Traces a Monty from now on, after its initial memory was loaded."""
        self._supervision = Supervision(monty)
        for method in CALLS:
            if hasattr(monty, method):
                self._intercept(monty, method, self._around_call)
        self._intercept(monty, "step", self._around_step)
        self._wrap_sensing(monty)
        self._wrap_drawing(monty)

    def finish(self) -> None:
        """Writes how it ended. A trace has no exceptions from outside Monty."""
        self._results.end(self._error)

    def _intercept(self, monty: Any, method: str, around: Callable) -> None:
        call = getattr(monty, method)

        @functools.wraps(call)
        def traced(*args: Any, **kwargs: Any) -> Any:
            if self._depth:
                return call(*args, **kwargs)
            with own_work():
                self._write_monty(monty)
            self._depth += 1
            try:
                return around(monty, functools.partial(call, *args, **kwargs))
            except Exception as error:
                self._error = error
                raise
            finally:
                self._depth -= 1
                self._supervision.monty_returned()

        setattr(monty, method, traced)

    def _around_call(self, monty: Any, call: functools.partial) -> Any:
        method = call.func.__name__
        learns = method == "update_ltm"
        with own_work():
            event = {
                "event": "call",
                "method": method,
                "args": list(call.args),
                "kwargs": call.keywords,
            }
            if learns:
                event["written"] = self._supervision.written()
            self._writer.note(event)
            episode = self._results.before_learning(monty) if learns else None
        result = call()
        if episode is not None:
            with own_work():
                self._results.after_learning(monty, episode)
        return result

    def _around_step(self, monty: Any, call: functools.partial) -> Any:
        self._step = {
            "event": "call",
            "method": "step",
            "motor_only": bool(monty.is_motor_only_step),
            "percepts": {},
        }
        try:
            result = call()
        finally:
            with own_work():
                self._writer.note(self._step)
        with own_work():
            self._results.after_step(monty)
        return result

    def _wrap_sensing(self, monty: Any) -> None:
        """Records what sensor modules report, before learning modules write into it."""
        sense = monty.aggregate_sensory_inputs

        @functools.wraps(sense)
        def sensed(*args: Any, **kwargs: Any) -> None:
            sense(*args, **kwargs)
            if self._step["motor_only"]:
                return
            used = {i for row in monty.sm_to_lm_matrix for i in row}
            self._step["percepts"] = {
                monty.sensor_modules[i].sensor_module_id: copy.deepcopy(percept)
                for i, percept in enumerate(monty.sensor_module_outputs)
                if i in used
            }

        monty.aggregate_sensory_inputs = sensed

    def _wrap_drawing(self, monty: Any) -> None:
        """Records the random state of steps in which a learning module uses it."""
        step = monty._step_learning_modules

        @functools.wraps(step)
        def stepped(ctx: Any) -> None:
            before = ctx.rng.get_state()
            try:
                step(ctx)
            finally:
                if digest(before) != digest(ctx.rng.get_state()):
                    self._step["random_state"] = list(before)

        monty._step_learning_modules = stepped

    def _write_monty(self, monty: Any) -> None:
        if self._is_written:
            return
        self._is_written = True
        of_monty = self._config["monty_config"]
        learns = bool(self._config["do_train"])
        passed_on = {key: of_monty[key] for key in of_monty if key not in OF_OTHERS}
        self._writer.note(
            {
                "event": "monty",
                "class": type(monty),
                "arguments": blueprint(
                    {**passed_on, **of_monty.get("monty_args", {})}, "monty_config"
                ),
                "match_criterion": blueprint(
                    self._config["match_criterion"], "match_criterion"
                ),
                "sensor_modules": [sm.sensor_module_id for sm in monty.sensor_modules],
                "learning_modules": {
                    name: blueprint(config, f"learning_modules.{name}")
                    for name, config in of_monty["learning_modules"].items()
                },
                "detailed": [
                    bool(getattr(lm, "has_detailed_logger", False))
                    for lm in monty.learning_modules
                ],
                "memories": [
                    memory_of(lm, to_learn=learns) for lm in monty.learning_modules
                ],
            }
        )
