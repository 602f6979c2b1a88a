# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs an experiment in this process, and records it.

``python -m monty_tools.recording.worker EXPERIMENT [OVERRIDE ...] --write FILE ...``

The exit status says how the run ended, see `ending.Ending`.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import functools
import gc
import importlib
import importlib.metadata
import importlib.util
import itertools
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from ..ending import CouldNotRun, Ending, describe_exception, is_result
from ..lazy_modules import postpone_imports
from ..llvm_order import load_triton_first
from ..opengl import rendering
from ..temporary import temporary_folder
from ..workers.process import Parent, Progress, imported_monty, worked, worker_parser
from .config import compose
from .counter import Counter, LimitReached
from .environment import RecordingEnvironment, ReplayEnvironment
from .episodes import choose_episodes, expected_episodes
from .fed import make_fed
from .file import Recording, RecordingWriter
from .hypotheses import CheckedHypotheses, SentHypotheses
from .observer import Observer
from .stopwatch import WHOLE, Stopwatch

LIBRARIES = (
    "numpy",
    "scipy",
    "torch",
    "torch-geometric",
    "numpy-quaternion",
    "mujoco",
    "hydra-core",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs an experiment, and returns the exit status."""
    args = _parser().parse_args(argv)
    return worked(lambda: _work(args))


def _parser() -> argparse.ArgumentParser:
    parser = worker_parser("recording.worker", __doc__)
    add = parser.add_argument
    add("experiment", help="name of the experiment's configuration")
    add("overrides", nargs="*", help="Hydra overrides")
    add("--side", default="", help="the name of this side")
    add("--write", type=Path, help="the recording to write")
    switch = argparse.BooleanOptionalAction
    add("--observations", action=switch, default=True, help="store what is answered")
    add("--state", action=switch, default=True, help="read and store Monty's state")
    add("--shadows", action=switch, default=True, help="render shadows")
    add("--began", type=float, help="time.monotonic() when this process was started")
    add("--feed", type=Path, help="a recording to answer from")
    add("--tolerance", type=float, default=0.0, help="of floats")
    add("--send-hypotheses", type=int, help="file descriptor to write all of them to")
    add("--check-hypotheses", type=int, help="file descriptor to read others' from")
    add("--steps", type=int, help="end after so many Monty steps")
    add("--episodes", help="which episodes to run, counted from 0")
    add("--rounds", type=int, default=1, help="how often to run it")
    add("--in-turns", action="store_true", help="wait for an order before each step")
    add("--describe", action="store_true", help="only report what would be run")
    return parser


def _description(cfg: Any, version: str) -> dict[str, Any]:
    model = OmegaConf.select(cfg, "experiment.config.model_name_or_path")
    return {
        "config": OmegaConf.to_yaml(cfg),
        "model": str(model or ""),
        "tbp.monty": version,
        "versions": _versions(),
    }


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version(), "machine": platform.machine()}
    for name in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


def _work(args: argparse.Namespace) -> Ending:
    version = imported_monty(args.expect_root)
    parent = Parent(args)
    cfg = compose(args.experiment, args.overrides)
    if args.describe:
        parent.tell(_description(cfg, version))
        return Ending.FINISHED
    if args.write is None:
        raise CouldNotRun("nothing to do: --write names the recording")
    if importlib.util.find_spec("tbp.monty.backends") is not None:
        postpone_imports()  # as monty run does, and upstream does not
    load_triton_first()
    json.dump = _dump_at_once
    with contextlib.ExitStack() as stack:
        feed = stack.enter_context(Recording(args.feed)) if args.feed else None
        writer = stack.enter_context(
            RecordingWriter(args.write, _manifest(args, version))
        )
        if cfg.experiment.config.get("model_name_or_path"):
            # Imported here: for upstream it imports torch, which takes seconds.
            from ..models.guard import guarded_models  # noqa: PLC0415

            stack.enter_context(guarded_models())
        if feed is None:
            stack.enter_context(rendering())
            if not args.shadows:
                render_without_shadows()
        ending = Ending.FINISHED
        rounds = _Rounds(args, writer, feed, parent)
        for number in range(args.rounds):
            gc.collect()  # what an earlier round has left
            ending = rounds.run(copy.deepcopy(cfg), number)
            if ending is Ending.DIVERGED:
                break
        return ending


class _Rounds:
    """Runs an experiment, once or in several rounds."""

    def __init__(
        self,
        args: argparse.Namespace,
        writer: RecordingWriter,
        feed: Recording | None,
        parent: Parent,
    ) -> None:
        self._args = args
        self._writer = writer
        self._feed = feed
        self._progress = Progress(parent)
        self._began = args.began
        # Lasts until the next one is asked for: setting up is done in turn, too.
        self._turns = parent.orders() if args.in_turns else itertools.repeat("")
        next(self._turns, None)

    def run(self, cfg: Any, number: int) -> Ending:
        """Runs it once, and records how it ended.

        Once the experiment is set up, its exceptions are results, see `is_result`.
        Earlier ones (no OpenGL, no data) say nothing about it, and are raised.

        Args:
            cfg: Its configuration, which is changed.
            number: The number of the round.
        """
        with temporary_folder() as output:
            os.environ["WANDB_DIR"] = str(output)
            cfg.experiment.config.logging.output_dir = str(output)
            cfg.experiment.config.logging.python_log_to_stderr = False
            replay = None
            if self._feed is not None:
                replay = ReplayEnvironment(self._feed, tolerance=self._args.tolerance)
            experiment = self._make(cfg, replay)
            counter = self._counter()
            counter.attach(experiment)
            with self._timed(experiment, counter, number) as attach:

                def set_up() -> None:
                    spec = self._args.episodes
                    self._progress.total = expected_episodes(experiment, spec)
                    choose_episodes(experiment, spec)
                    attach(experiment.model)
                    self._watch_steps(experiment.model, counter)

                ending, details = _ending_of(experiment, set_up, replay)
        self._writer.add(
            {
                "event": "end",
                "ending": ending.words,
                "episodes": counter.episodes,
                "steps": counter.steps,
                **details,
            }
        )
        return ending

    def _make(self, cfg: Any, replay: ReplayEnvironment | None) -> Any:
        instantiate = importlib.import_module("tbp.monty.hydra").instantiate_experiment
        if replay is not None:
            return make_fed(instantiate, cfg.experiment, replay)
        experiment = instantiate(cfg.experiment)
        make = experiment.init_env

        def init_env(env_init_func: Any, env_init_args: Any) -> None:
            make(env_init_func, env_init_args)
            experiment.env = RecordingEnvironment(
                experiment.env, self._writer, observations=self._args.observations
            )

        experiment.init_env = init_env
        return experiment

    def _counter(self) -> Counter:
        args = self._args
        # A worker that takes turns reports before each step.
        counting = {} if args.in_turns else {"progress": self._progress}
        if not args.state:
            return Counter(steps=args.steps, **counting)
        hypotheses: SentHypotheses | CheckedHypotheses | None = None
        if args.send_hypotheses is not None:
            hypotheses = SentHypotheses(args.send_hypotheses)
        if args.check_hypotheses is not None:
            hypotheses = CheckedHypotheses(args.check_hypotheses, args.tolerance)
        return Observer(self._writer, hypotheses, steps=args.steps, **counting)

    @contextlib.contextmanager
    def _timed(
        self, experiment: Any, counter: Counter, number: int
    ) -> Iterator[Callable[[Any], None]]:
        """Records Monty's time for each episode, and for what follows the last one.

        Yields:
            A function to call with the Monty, once it exists.
        """
        stopwatch = Stopwatch()
        post_episode = experiment.post_episode

        def note() -> None:
            seconds = stopwatch.take()
            if seconds[WHOLE]:
                event = {"event": "time", "round": number, "episode": counter.episodes}
                self._writer.add({**event, "seconds": seconds})

        def timed_post_episode(steps: int) -> None:
            note()
            post_episode(steps)

        experiment.post_episode = timed_post_episode
        yield stopwatch.attach
        if not self._args.state:
            note()

    def _watch_steps(self, monty: Any, counter: Counter) -> None:
        """Takes a turn before each step, and records when the first one begins."""
        step = monty.step

        def watched_step(*args: Any, **kwargs: Any) -> Any:
            if self._args.in_turns:
                self._progress(counter.episodes, counter.steps)
                next(self._turns, None)
            if self._began is not None:
                seconds, self._began = time.monotonic() - self._began, None
                self._writer.add({"event": "start", "seconds": seconds})
            return step(*args, **kwargs)

        monty.step = watched_step


def _ending_of(
    experiment: Any, set_up: Callable[[], None], replay: ReplayEnvironment | None
) -> tuple[Ending, Mapping[str, Any]]:
    """Returns how the experiment ended, and details to compare."""
    is_set_up = False
    ending, details = Ending.FINISHED, {}
    try:
        with experiment:
            set_up()
            is_set_up = True
            experiment.run()
    except LimitReached:
        ending = Ending.LIMIT
    except Exception as error:
        if not is_set_up:
            raise
        _raise_fault_behind(error)
        ending, details = Ending.RAISED, describe_exception(error)
        if not (replay and replay.divergence):
            if not is_result(error, replay and replay.recording.events()):
                raise
            traceback.print_exc()
    if replay and replay.divergence:
        # Read from the replay, because the experiment may have handled the exception.
        found = replay.divergence
        return Ending.DIVERGED, {"expected": found.expected, "found": found.found}
    return ending, details


def _raise_fault_behind(error: BaseException) -> None:
    """Raises what ended the run, if the experiment then failed to close."""
    behind = error.__context__
    while behind is not None:
        if not isinstance(behind, (Exception, LimitReached)):
            raise behind
        behind = behind.__context__


def _dump_at_once(obj: Any, fp: Any, **options: Any) -> None:
    """Writes the text that `json.dump` writes, many times faster.

    `json.dump` encodes piece by piece in Python, `json.dumps` at once in C. Monty's
    detailed logs would otherwise take more time than everything else in a run.
    """
    fp.write(json.dumps(obj, **options))


def _manifest(args: argparse.Namespace, version: str) -> dict[str, Any]:
    return {
        "side": args.side,
        "tbp.monty": version,
        "experiment": args.experiment,
        "overrides": args.overrides,
        "limits": {"steps": args.steps, "episodes": args.episodes},
        "shadows": args.shadows,
        "observations": args.observations and not args.feed,
        "fed": args.feed is not None,
        "versions": _versions(),
    }


def render_without_shadows() -> None:
    """Turns off shadow maps in all renderers that are made after this call.

    In software rendering, MuJoCo's shadow map of 4096 by 4096 pixels takes nearly all
    of the time. We compare what Monty computes from an image, so its looks do not
    matter.
    """
    import mujoco  # noqa: PLC0415 only a process that renders needs it

    make = mujoco.Renderer.__init__

    @functools.wraps(make)
    def made(self: Any, model: Any, *args: Any, **kwargs: Any) -> None:
        model.vis.quality.shadowsize = 0
        make(self, model, *args, **kwargs)

    mujoco.Renderer.__init__ = made


if __name__ == "__main__":
    sys.exit(main())
