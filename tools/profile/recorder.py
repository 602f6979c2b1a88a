# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Records a run of upstream's runner into a folder."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tbp.monty
from tbp.monty.frameworks.experiments.mode import ExperimentMode

from ..machine import this_machine
from ..recording.counter import LimitReached
from .attach import Attachment
from .beliefs import lm_id, outcome, target_of
from .device_rows import DeviceRows, device_row, process_of
from .folder import ProfileFolder
from .schema import EPISODES, MEMORY, STEPS
from .spans import MONTY, Patches, Spans
from .step_notes import StepNotes
from .summary import ran_where, show_phases

__all__ = ["Recorder", "recorded_runs"]


@contextlib.contextmanager
def recorded_runs(
    folder: Path, arguments: Sequence[str], runner: Any
) -> Iterator[None]:
    """Makes upstream's runner record its run.

    Args:
        folder: An empty folder.
        arguments: What the runner is called with.
        runner: The module of upstream's runner.
    """
    instantiate = runner.instantiate_experiment
    recorders: list[Recorder] = []

    def instantiate_recorded(config: Any) -> Any:
        experiment = instantiate(config)
        recorders.append(Recorder(folder, arguments, experiment))
        return experiment

    runner.instantiate_experiment = instantiate_recorded
    try:
        yield
    finally:
        runner.instantiate_experiment = instantiate
        for recorder in recorders:
            recorder.close()
            print(recorder.show(), end="")


class Recorder:
    """Records the run of one experiment."""

    def __init__(self, folder: Path, arguments: Sequence[str], experiment: Any) -> None:
        """Attaches to an experiment that is not set up yet."""
        self._experiment = experiment
        self._path = folder
        self._folder: ProfileFolder | None = None
        self._about = _about(arguments)
        self._spans = Spans()
        self._patches = Patches()
        self._attachment = Attachment(self._spans, self._patches, self._add_stream)
        self._device_rows = DeviceRows(self._spans, self._patches)
        self._device_events: list[dict[str, Any]] = []
        self._notes = StepNotes(experiment)
        self._outcome: dict[str, Any] | None = None
        self._episode_count = 0
        wrap = self._patches.wrap
        wrap(experiment, "_create_monty", self._created_monty)
        wrap(experiment, "setup_experiment", self._set_up)
        wrap(experiment, "run_episode", self._noted_episode)
        wrap(experiment, "run_step", self._noted_step)
        wrap(experiment, "post_episode", self._noted_outcome)
        wrap(experiment, "run", lambda run: self._spans.timed("run", run))

    def close(self) -> None:
        """Writes the rest, and detaches from everything."""
        self._patches.close()
        if self._folder is None:  # it was not even set up
            return
        try:
            self._flush()
        finally:
            self._folder.close()

    def show(self) -> str:
        """Returns where the time went, for people; empty if nothing was recorded."""
        if self._folder is None:
            return ""
        phases = show_phases(self._folder, self._notes.count)
        return f"{phases}\n\nprofile of {self._notes.count} steps in {self._path}\n"

    def _created_monty(self, create: Callable[[], None]) -> Callable[[], None]:
        def created() -> None:
            create()
            self._attachment.to_monty(self._experiment.model)

        return created

    def _set_up(self, setup: Callable[[Any], None]) -> Callable[[Any], None]:
        timed = self._spans.timed("setup", setup)

        def set_up(config: Any) -> None:
            began = time.perf_counter_ns()
            timed(config)
            self._attachment.to_experiment(self._experiment)
            self._notes.watch.look_at_models(self._experiment.model)
            self._folder = ProfileFolder(self._path, began)
            self._folder.name_host(
                MONTY, {row: name for name, row in self._attachment.rows.items()}
            )

        return set_up

    def _add_stream(self, stream: Any) -> None:
        self._notes.streams.append(stream)
        found = self._device_rows.attach(stream.counted)
        if found is not None and self._folder is not None:
            device, name, number = found
            self._about["machine"][f"GPU {device}"] = name
            row = {device_row(number): f"stream {number}"}
            self._folder.name_rows(process_of(device), f"GPU {device}: {name}", row)

    def _noted_episode(self, run_episode: Callable[[], None]) -> Callable[[], None]:
        timed = self._spans.timed("episode", run_episode)
        end = self._spans.timed("profile", self._end_episode)

        def noted() -> None:
            self._spans.episode += 1
            self._spans.step = None
            self._outcome = None
            try:
                timed()
            finally:
                end()

        return noted

    def _noted_step(self, run_step: Callable[..., Any]) -> Callable[..., Any]:
        timed = self._spans.timed("step", run_step)
        note = self._spans.timed("profile", self._note_step)

        def noted(ctx: Any, step: int, actions: Any) -> Any:
            self._spans.step = step
            self._device_rows.begin_step()
            try:
                actions = timed(ctx, step, actions)
            except LimitReached:  # after the step
                note(step)
                raise
            note(step)
            return actions

        return noted

    def _noted_outcome(
        self, post_episode: Callable[[int], None]
    ) -> Callable[[int], None]:
        def noted(steps: int) -> None:
            self._spans.step = None
            lms = self._experiment.model.learning_modules
            outcomes = {lm_id(lm): outcome(lm) for lm in lms}
            self._outcome = {
                "target": target_of(self._experiment),
                "steps": steps,
                **_common(list(outcomes.values())),
                "lms": outcomes,
            }
            post_episode(steps)
            if self._experiment.experiment_mode is ExperimentMode.TRAIN:
                self._notes.watch.look_at_models(self._experiment.model)

        return noted

    def _note_step(self, step: int) -> None:
        _phase, _row, began, ended, *_ = self._spans.done[-1]
        self._notes.note(self._spans.episode, step, (ended - began) / 1e9)
        self._device_events += self._device_rows.done()

    def _end_episode(self) -> None:
        _phase, _row, began, ended, *_ = self._spans.done[-1]
        if self._outcome is not None and self._folder is not None:
            self._episode_count += 1
            line = {
                "episode": self._spans.episode,
                **self._outcome,
                "seconds": (ended - began) / 1e9,
            }
            self._folder.add_lines(EPISODES, [json.dumps(line)])
        self._flush()

    def _flush(self) -> None:
        """Writes what was recorded, and forgets it."""
        assert self._folder is not None, "it was not set up"
        self._folder.add_spans(self._spans.take())
        self._folder.add_events(self._device_events)
        self._device_events.clear()
        for name, lines in ((STEPS, self._notes.steps), (MEMORY, self._notes.memory)):
            self._folder.add_lines(name, lines)
            lines.clear()
        monty = getattr(self._experiment, "model", None)
        self._folder.write_summary(
            {
                **self._about,
                **ran_where(monty, self._attachment.groups),
                "steps": self._notes.count,
                "episodes": self._episode_count,
            }
        )


def _about(arguments: Sequence[str]) -> dict[str, Any]:
    named = [one for one in arguments if one.startswith("experiment=")]
    return {
        "experiment": named[-1].partition("=")[2] if named else "",
        "overrides": [one for one in arguments if one not in named],
        "tbp.monty": tbp.monty.__version__,
        "machine": this_machine(),
        "started": dt.datetime.now(dt.timezone.utc).isoformat(),
    }


def _common(outcomes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns what is the same for all learning modules, and None where they differ."""
    first, *others = outcomes
    return {
        key: value if all(one[key] == value for one in others) else None
        for key, value in first.items()
    }
