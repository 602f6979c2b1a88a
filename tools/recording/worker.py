# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs one side of a comparison in this process.

``python -m monty_tools.recording.worker EXPERIMENT [OVERRIDE ...] --write FILE ...``

The exit status says how the run ended, see `ending.Ending`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import importlib.metadata
import importlib.util
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
from ..workers.process import Progress, imported_monty, worked
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
    """Runs one side, and returns the exit status."""
    args = _parser().parse_args(argv)
    return worked(lambda: _work(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m monty_tools.recording.worker",
        description=__doc__.splitlines()[0],
    )
    parser.add_argument("experiment", help="name of the experiment's configuration")
    parser.add_argument("overrides", nargs="*", help="Hydra overrides")
    parser.add_argument(
        "--expect-root",
        type=Path,
        required=True,
        help="the folder that must hold the imported tbp/monty",
    )
    parser.add_argument("--side", default="", help="the name of this side")
    parser.add_argument("--write", type=Path, help="the recording to write")
    parser.add_argument(
        "--observations",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="store the environment's answers",
    )
    parser.add_argument(
        "--state",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="read and store Monty's state; without, steps are only counted and timed",
    )
    parser.add_argument(
        "--began",
        type=float,
        metavar="T",
        help="time.monotonic() when this process was started, to store how long it "
        "took to Monty's first step",
    )
    parser.add_argument("--trace", type=Path, help="a trace to write")
    parser.add_argument("--feed", type=Path, help="a recording to answer from")
    parser.add_argument(
        "--tolerance",
        type=float,
        default=0.0,
        help="of floats in calls when fed, and in hypotheses that are checked",
    )
    parser.add_argument(
        "--send-hypotheses", type=int, metavar="FD", help="where to write all of them"
    )
    parser.add_argument(
        "--check-hypotheses", type=int, metavar="FD", help="where to read others'"
    )
    parser.add_argument("--steps", type=int, help="end after so many Monty steps")
    parser.add_argument("--episodes", help="which episodes to run, counted from 0")
    parser.add_argument(
        "--shadows",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="render shadows",
    )
    parser.add_argument("--progress-fd", type=int, help="where to write JSON lines")
    parser.add_argument(
        "--describe", action="store_true", help="only print what would be run, as JSON"
    )
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
    cfg = compose(args.experiment, args.overrides)
    if args.describe:
        print(json.dumps(_description(cfg, version)))
        return Ending.FINISHED
    if args.write is None:
        raise CouldNotRun("nothing to do: --write names the recording")
    if importlib.util.find_spec("tbp.monty.backends") is not None:
        postpone_imports()  # as monty run does, and upstream does not
    load_triton_first()
    json.dump = _dump_at_once
    with contextlib.ExitStack() as stack:
        feed = stack.enter_context(Recording(args.feed)) if args.feed else None
        replay = ReplayEnvironment(feed, tolerance=args.tolerance) if feed else None
        output = stack.enter_context(temporary_folder())
        writer = stack.enter_context(
            RecordingWriter(args.write, _manifest(args, version))
        )
        progress = Progress(args.progress_fd)
        counter = _counter(args, writer, progress)
        _redirect_output(cfg, str(output))
        if cfg.experiment.config.get("model_name_or_path"):
            # Imported here: for upstream it imports torch, which takes seconds.
            from ..models.guard import guarded_models  # noqa: PLC0415

            stack.enter_context(guarded_models())
        instantiate = importlib.import_module("tbp.monty.hydra").instantiate_experiment
        if replay:
            experiment = make_fed(instantiate, cfg.experiment, replay)
        else:
            stack.enter_context(rendering())
            if not args.shadows:
                render_without_shadows()
            experiment = instantiate(cfg.experiment)
            _record_environment(experiment, writer, observations=args.observations)
        counter.attach(experiment)
        stopwatch = _timed(experiment, counter, writer)
        watchers: list[Callable[[Any], None]] = [stopwatch.attach]
        if args.trace:
            watchers.append(stack.enter_context(_traced(args, cfg, version)))
        if args.began is not None:
            # The last one, because it puts back the step that it finds.
            watchers.append(_noting_start(writer, args.began))
        ending = _observed(
            experiment, args.episodes, watchers, counter, writer, replay, progress
        )
        if not args.state:
            _note_rest(stopwatch, counter, writer)
        return ending


def _counter(
    args: argparse.Namespace, writer: RecordingWriter, progress: Progress
) -> Counter:
    if args.state:
        hypotheses: SentHypotheses | CheckedHypotheses | None = None
        if args.send_hypotheses is not None:
            hypotheses = SentHypotheses(args.send_hypotheses)
        if args.check_hypotheses is not None:
            hypotheses = CheckedHypotheses(args.check_hypotheses, args.tolerance)
        return Observer(writer, hypotheses, steps=args.steps, progress=progress)
    return Counter(steps=args.steps, progress=progress)


@contextlib.contextmanager
def _traced(
    args: argparse.Namespace, cfg: Any, version: str
) -> Iterator[Callable[[Any], None]]:
    # Imported here: only a trace needs it, and recordings do not depend on it.
    from ..trace.results import TRACE  # noqa: PLC0415
    from ..trace.tracer import Tracer  # noqa: PLC0415

    manifest = _manifest(args, version)
    with RecordingWriter(args.trace, manifest, TRACE) as writer:
        tracer = Tracer(writer, cfg.experiment.config)
        yield tracer.attach
        tracer.finish()


def _timed(experiment: Any, counter: Counter, writer: RecordingWriter) -> Stopwatch:
    """Record Monty's time for each episode.

    Returns:
        The stopwatch to attach to the Monty, once it exists.
    """
    stopwatch = Stopwatch()
    post_episode = experiment.post_episode

    def timed_post_episode(steps: int) -> None:
        writer.add(_time(counter, stopwatch.take()))
        post_episode(steps)

    experiment.post_episode = timed_post_episode
    return stopwatch


def _note_rest(stopwatch: Stopwatch, counter: Counter, writer: RecordingWriter) -> None:
    """Record Monty's time since the last end of an episode, if it did anything."""
    seconds = stopwatch.take()
    if seconds[WHOLE]:
        writer.add(_time(counter, seconds))


def _time(counter: Counter, seconds: Mapping[str, float]) -> dict[str, Any]:
    return {"event": "time", "episode": counter.episodes, "seconds": seconds}


def _noting_start(writer: RecordingWriter, began: float) -> Callable[[Any], None]:
    """Record when Monty takes its first step.

    Args:
        writer: Where to record.
        began: When this process was started, by the clock `time.monotonic`, which is
            the same in all processes.

    Returns:
        A function to call with the Monty, once it exists.
    """

    def attach(monty: Any) -> None:
        step = monty.step

        def first_step(*args: Any, **kwargs: Any) -> Any:
            monty.step = step
            writer.add({"event": "start", "seconds": time.monotonic() - began})
            return step(*args, **kwargs)

        monty.step = first_step

    return attach


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


def _redirect_output(cfg: Any, folder: str) -> None:
    os.environ["WANDB_DIR"] = folder
    cfg.experiment.config.logging.output_dir = folder
    cfg.experiment.config.logging.python_log_to_stderr = False


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


def _record_environment(
    experiment: Any, writer: RecordingWriter, *, observations: bool
) -> None:
    make = experiment.init_env

    def init_env(env_init_func: Any, env_init_args: Any) -> None:
        make(env_init_func, env_init_args)
        experiment.env = RecordingEnvironment(
            experiment.env, writer, observations=observations
        )

    experiment.init_env = init_env


def _observed(
    experiment: Any,
    episodes: str | None,
    watchers: Sequence[Callable[[Any], None]],
    counter: Counter,
    writer: RecordingWriter,
    replay: ReplayEnvironment | None,
    progress: Progress,
) -> Ending:
    """Runs the experiment, and records how it ended.

    Once the experiment is set up, its exceptions are results, see `is_result`. Earlier
    ones (no OpenGL, no data) say nothing about it, and are raised.
    """
    is_set_up = False
    details: dict[str, Any] = {}
    try:
        with experiment:
            progress.total = expected_episodes(experiment, episodes)
            choose_episodes(experiment, episodes)
            is_set_up = True
            for watch in watchers:
                watch(experiment.model)
            experiment.run()
        ending = Ending.FINISHED
    except LimitReached:
        ending = Ending.LIMIT
    except Exception as error:
        if not is_set_up:
            raise
        _raise_fault_behind(error)
        ending = Ending.RAISED
        details = describe_exception(error)
        if not (replay and replay.divergence):
            if not is_result(error, replay and replay.recording.events()):
                raise
            traceback.print_exc()
    if replay and replay.divergence:
        # Read from the replay, because the experiment may have handled the exception.
        ending = Ending.DIVERGED
        details = {
            "expected": replay.divergence.expected,
            "found": replay.divergence.found,
        }
    writer.add(
        {
            "event": "end",
            "ending": ending.words,
            "episodes": counter.episodes,
            "steps": counter.steps,
            **details,
        }
    )
    return ending


def _raise_fault_behind(error: BaseException) -> None:
    """Raises what ended the run, if the experiment then failed to close."""
    behind = error.__context__
    while behind is not None:
        if not isinstance(behind, (Exception, LimitReached)):
            raise behind
        behind = behind.__context__


if __name__ == "__main__":
    sys.exit(main())
