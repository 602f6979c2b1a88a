# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Repeats a recorded run and times it, step by step in turn with other processes.

A step of one is followed by the same step of the next one, so that whatever else slows
the machine down for more than milliseconds meets all of them.

``python -m monty_tools.bench.warm_worker RECORDING --rounds N --write FILE ...``
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import gc
import importlib
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..ending import Ending
from ..lazy_modules import postpone_imports
from ..recording.config import compose
from ..recording.counter import Counter, LimitReached
from ..recording.environment import ReplayEnvironment
from ..recording.episodes import choose_episodes
from ..recording.fed import make_fed
from ..recording.file import Recording, RecordingWriter
from ..recording.overrides import run_of
from ..recording.stopwatch import Stopwatch
from ..recording.tolerance import TOLERANCE
from ..temporary import temporary_folder
from ..workers.process import imported_monty, worked
from ..workers.sides import Run
from ..workers.turns import in_turn

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Repeats a recorded run, and returns the exit status."""
    args = _parser().parse_args(argv)
    return worked(lambda: _work(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m monty_tools.bench.warm_worker",
        description=__doc__.splitlines()[0],
    )
    parser.add_argument("recording", type=Path, help="the run to repeat")
    parser.add_argument("--expect-root", type=Path, required=True)
    parser.add_argument("--write", type=Path, required=True, help="where times go")
    parser.add_argument("--rounds", type=int, required=True, help="after the first one")
    parser.add_argument("--place", type=int, action="append")
    parser.add_argument("--progress-fd", type=int, help="closed at the end")
    return parser


def _work(args: argparse.Namespace) -> Ending:
    version = imported_monty(args.expect_root)
    postpone_imports()  # as monty run does
    with (
        Recording(args.recording) as recording,
        RecordingWriter(args.write, {"tbp.monty": version}) as writer,
    ):
        # The parent has asked whether the recording is trusted.
        run = run_of(recording, trusted=True)
        cfg = compose(run.experiment, run.overrides)
        # Lasts until the next one is asked for: setting up is done in turn, too.
        turns = in_turn(args.place, itertools.repeat(None))
        for i in range(args.rounds + 1):
            seconds = _timed(copy.deepcopy(cfg), run, recording, turns)
            writer.add({"event": "time", "round": i, "seconds": seconds})
    return Ending.FINISHED


def _timed(
    cfg: Any, run: Run, recording: Recording, turns: Iterator[None]
) -> Mapping[str, float]:
    """Runs it once, a step in each turn, and returns the seconds of Monty's parts.

    Args:
        cfg: The configuration of the run; it is changed.
        run: The run.
        recording: Answers in place of the environment.
        turns: The turns of this process.
    """
    instantiate = importlib.import_module("tbp.monty.hydra").instantiate_experiment
    replay = ReplayEnvironment(recording, tolerance=TOLERANCE)
    stopwatch = Stopwatch()
    with temporary_folder() as output:
        cfg.experiment.config.logging.output_dir = str(output)
        cfg.experiment.config.logging.python_log_to_stderr = False
        experiment = make_fed(instantiate, cfg.experiment, replay)
        Counter(steps=run.steps).attach(experiment)
        with experiment:
            choose_episodes(experiment, run.episodes)
            stopwatch.attach(experiment.model)
            _wait_before_steps(experiment.model, turns)
            with contextlib.suppress(LimitReached):
                experiment.run()
    if replay.divergence:  # which the experiment may have handled
        raise replay.divergence
    seconds = stopwatch.take()
    del experiment
    gc.collect()  # now, and not while the next round is timed
    return seconds


def _wait_before_steps(monty: Any, turns: Iterator[None]) -> None:
    step = monty.step

    def waiting_step(*args: Any, **kwargs: Any) -> Any:
        next(turns, None)
        return step(*args, **kwargs)

    monty.step = waiting_step


if __name__ == "__main__":
    sys.exit(main())
