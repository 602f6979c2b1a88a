# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs an experiment in this process, and notes how long it took.

``python -m monty_tools.compare.worker --folder FOLDER ...`` runs what the note in the
folder asks for, for experiments whose episodes need those before. The exit status says
how the run ended, see `ending.Ending`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..ending import CouldNotRun, Ending
from ..llvm_order import load_triton_first
from ..models.guard import guarded_models
from ..opengl import rendering
from ..recording.config import compose
from ..recording.counter import Counter
from ..workers.process import Parent, Progress, imported_monty, worked, worker_parser
from .runs import finish, kept


def main(argv: Sequence[str] | None = None) -> int:
    """Runs an experiment, and returns the exit status."""
    parser = worker_parser("compare.worker", __doc__)
    parser.add_argument("--folder", type=Path, required=True)
    args = parser.parse_args(argv)
    return worked(lambda: _work(args))


def _work(args: argparse.Namespace) -> Ending:
    imported_monty(args.expect_root)
    noted = kept(args.folder)
    if noted is None:
        raise CouldNotRun(f"{args.folder} does not say what to run")
    cfg = compose(noted.asked.experiment, noted.asked.overrides)
    cfg.experiment.config.logging.output_dir = str(args.folder)
    load_triton_first()
    instantiate = importlib.import_module("tbp.monty.hydra").instantiate_experiment
    with guarded_models(), rendering():
        experiment = instantiate(cfg.experiment)
        Counter(progress=Progress(Parent(args))).attach(experiment)
        began = time.monotonic()
        with experiment:
            experiment.run()
        finish(args.folder, time.monotonic() - began)
    return Ending.FINISHED


if __name__ == "__main__":
    sys.exit(main())
