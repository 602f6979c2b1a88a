# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Attaches to an experiment from outside, and records where its time goes.

Methods are wrapped on the objects of this run, and on the classes of backends that make
objects while it goes on. A run that is not recorded is not touched.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tbp.monty.backends.stacked.backend import StackedBackend
from tbp.monty.backends.stacked.stack import Stack
from tbp.monty.frameworks.models.honoured_overrides import has_honoured_halves
from tbp.monty.frameworks.models.whole_overrides import HALVES

from .beliefs import lm_id
from .spans import MONTY, Patches, Spans

__all__ = ["Attachment"]

EXPERIMENT = {
    "_restore_monty": "reset",
    "save_state_dir": "logging",
}
"""Methods of an experiment, by name, and their phases."""

INTERFACE = ("pre_epoch", "pre_episode", "step", "post_episode", "post_epoch")
LOGGERS = tuple(
    f"{when}_{what}"
    for when in ("pre", "post")
    for what in ("train", "eval", "epoch", "episode")
)

MONTY_PHASES = {
    "aggregate_sensory_inputs": "sensor modules",
    "_vote": "votes",
    "_pass_goals": "goals",
    "_step_motor_system": "motor",
}

ENGINE_STEP = ("delete_declining", "update", "append", "record", "fetch")
"""What starts work of an engine, see `tables.engine.Step`."""

STEP_TYPES = ("matching_step", "exploratory_step")


class Attachment:
    """What is attached to the experiment of a run.

    Attributes:
        rows: The rows of the learning modules in the timeline, by name.
        groups: The groups of learning modules that were stacked, as their names.
    """

    def __init__(
        self, spans: Spans, patches: Patches, on_stream: Callable[[Any], None]
    ) -> None:
        """Attaches to the classes of backends.

        Args:
            spans: Records calls.
            patches: Undoes everything at the end.
            on_stream: Called with each stream of a device that is opened.
        """
        self._spans = spans
        self._on_stream = on_stream
        self._wrap = patches.wrap
        self.rows: dict[str, int] = {}
        self.groups: list[list[str]] = []
        self._group_numbers: dict[tuple, int] = {}
        self._lms: Sequence[str] = ()
        self._step_classes: set[type] = set()
        self._wrap(Stack, "__init__", self._opened)
        self._wrap(Stack, "launch", self._packed)
        self._wrap(Stack, "settle", self._finished)

    def to_experiment(self, experiment: Any) -> None:
        """Attaches to an experiment that is set up, but not to its Monty."""
        for method, phase in EXPERIMENT.items():
            self._time(experiment, method, phase)
        for interface in ("train_env_interface", "eval_env_interface"):
            for method in INTERFACE:
                self._time(getattr(experiment, interface, None), method, "environment")
        for method in LOGGERS:
            self._time(experiment.logger_handler, method, "logging")

    def to_monty(self, monty: Any) -> None:
        """Attaches to a Monty and its parts."""
        self._lms = [lm_id(lm) for lm in monty.learning_modules]
        for name in self._lms:
            self.rows.setdefault(name, MONTY + 1 + len(self.rows))
        for method, phase in MONTY_PHASES.items():
            self._time(monty, method, phase)
        for lm in monty.learning_modules:
            self._to_learning_module(lm)
        backend = monty.backend.backend
        # A stacked backend does its work in stacks, and otherwise only queues it.
        if not isinstance(backend, StackedBackend):
            for method, phase in (("dispatch", "launch"), ("result", "result")):
                self._wrap(backend, method, functools.partial(self._for_lm, phase))
            self._time(backend, "launch", "launch")

    def _time(self, owner: Any, method: str, phase: str, row: int = MONTY) -> None:
        self._wrap(owner, method, lambda found: self._spans.timed(phase, found, row))

    def _to_learning_module(self, lm: Any) -> None:
        row = self.rows[lm_id(lm)]
        for step_type in STEP_TYPES:
            if has_honoured_halves(lm, step_type):
                dispatch, process = HALVES[step_type]
                self._time(lm, dispatch, "dispatch", row)
                self._time(lm, process, "process", row)
            else:
                self._time(lm, step_type, "process", row)

    def _for_lm(self, phase: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Returns a method of a backend, recorded in the row of a work's owner."""
        of_row = {
            name: self._spans.timed(phase, method, row)
            for name, row in self.rows.items()
        }

        def timed(work: Any, *args: Any) -> Any:
            return of_row[work.lm_id](work, *args)

        return timed

    def _packed(self, launch: Callable[..., None]) -> Callable[..., None]:
        timed = self._spans.timed("pack", launch)

        def packed(stack: Stack, works: Sequence[Any]) -> None:
            if works:
                with self._for_group(stack):
                    timed(stack, works)

        return packed

    def _finished(self, settle: Callable[..., Any]) -> Callable[..., Any]:
        timed = self._spans.timed("result", settle)

        def settled(stack: Stack) -> Any:
            if not stack.is_running:
                return settle(stack)
            with self._for_group(stack):
                return timed(stack)

        return settled

    @contextmanager
    def _for_group(self, stack: Stack) -> Iterator[None]:
        """Has all spans name the group of a stack."""
        outer, self._spans.group = self._spans.group, self._group_number(stack.group)
        try:
            yield
        finally:
            self._spans.group = outer

    def _group_number(self, group: tuple) -> int:
        number = self._group_numbers.get(group)
        if number is None:
            number = self._group_numbers[group] = len(self.groups)
            # A backend may group learning modules by name, Monty does by index.
            names = [self._lms[i] if isinstance(i, int) else str(i) for i in group]
            self.groups.append(names)
        return number

    def _opened(self, init: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(init)
        def opened(
            stack: Stack, group: Any, kind: str, engine: Any, *rest: Any
        ) -> None:
            init(stack, group, kind, engine, *rest)
            self._wrap(engine, "begin", self._timed_steps)
            stream = getattr(engine, "stream", None)
            if stream is not None:
                self._time(stream, "wait", "wait")
                self._on_stream(stream)

        return opened

    def _timed_steps(self, begin: Callable[..., Any]) -> Callable[..., Any]:
        def timed_begin(*args: Any) -> Any:
            step = begin(*args)
            if type(step) not in self._step_classes:
                self._step_classes.add(type(step))
                for method in ENGINE_STEP:
                    self._time(type(step), method, "launch")
            return step

        return timed_begin
