# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs an experiment of a comparison in this process, and notes how long it took.

``python -m monty_tools.compare.worker --folder FOLDER ...`` runs what the note in the
folder asks for. The exit status says how the run ended, see `parity.ending.Ending`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..llvm_order import load_triton_first
from ..models.guard import guarded_models
from ..opengl import rendering
from ..parity.config import compose
from ..parity.counter import Counter
from ..parity.ending import CouldNotRun, Ending
from ..parity.process import Progress, imported_monty, worked
from .kept import Asked, finish, kept


def main(argv: Sequence[str] | None = None) -> int:
    """Runs an experiment, and returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m monty_tools.compare.worker")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--expect-root", type=Path, required=True)
    parser.add_argument("--progress-fd", type=int)
    args = parser.parse_args(argv)
    return worked(lambda: _work(args))


def _work(args: argparse.Namespace) -> Ending:
    version = imported_monty(args.expect_root)
    noted = kept(args.folder)
    if noted is None:
        raise CouldNotRun(f"{args.folder} does not say what to run")
    asked = noted.asked
    cfg = compose(asked.experiment, asked.overrides)
    load_triton_first()
    os.environ["WANDB_DIR"] = str(args.folder)
    began = time.monotonic()
    if asked.in_one_process:
        _run_in_one_process(cfg, args.folder, Progress(args.progress_fd))
    else:
        _run_in_parallel(cfg, asked, args.folder)
    finish(args.folder, version, time.monotonic() - began)
    return Ending.FINISHED


def _run_in_one_process(cfg: Any, folder: Path, progress: Progress) -> None:
    cfg.experiment.config.logging.output_dir = str(folder)
    instantiate = importlib.import_module("tbp.monty.hydra").instantiate_experiment
    with guarded_models(), rendering():
        experiment = instantiate(cfg.experiment)
        Counter(progress=progress).attach(experiment)
        with experiment:
            experiment.run()


def _run_in_parallel(cfg: Any, asked: Asked, folder: Path) -> None:
    """Runs with upstream's own parallel runner."""
    cfg.experiment.config.logging.output_dir = str(folder.parent)
    cfg.experiment.config.logging.run_name = folder.name
    cfg.num_parallel = asked.at_a_time
    cfg.episodes = asked.episodes or "all"
    importlib.import_module("tbp.monty.frameworks.run_parallel").main(cfg)


if __name__ == "__main__":
    sys.exit(main())
