# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty run`: runs an experiment with upstream's runner."""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import logging
import os
import sys
from pathlib import Path
from typing import Any, Callable, ContextManager, Sequence

from monty_tools.arguments import Command, Parser, is_trusted
from tbp.monty.backends.cuda.settings import DEVICES, CudaSettings, InvalidSetting
from tbp.monty.cli.sides import choose_backend

__all__ = ["RUN"]

DESCRIPTION = """\
Runs an experiment config. Everything but the options below goes to Hydra: overrides
(experiment=NAME, key=value) and Hydra's own options (--cfg job, --multirun,
--hydra-help).
"""


class _RunParser(Parser):
    """Leaves what it does not know to Hydra, unless it is nearly known."""

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        options, options_of_hydra = self.parse_known_args(words)
        options.hydra = options_of_hydra
        for word in options_of_hydra:
            if word.startswith("--") and self.nearest(word):
                self.error(f"unrecognized arguments: {word}")
        return options


def _run(options: argparse.Namespace, _paths: object) -> int:
    parser, hydra_arguments = _parser(), options.hydra
    if options.recording is not None:
        hydra_arguments = [
            *_recorded_arguments(parser, options, hydra_arguments),
            *hydra_arguments,
        ]
    if not hydra_arguments:
        parser.error("name an experiment, for example experiment=test/eval_mujoco")
    if options.devices is not None:
        os.environ[DEVICES] = options.devices
        try:
            CudaSettings.from_environment()
        except InvalidSetting as problem:
            parser.error(str(problem))
    choose_backend(parser, options.backend)
    profiled = _profiled(parser, options.profile, hydra_arguments)

    # Imported here: they take seconds, and --help should not.
    from monty_tools.lazy_modules import postpone_imports  # noqa: PLC0415
    from monty_tools.llvm_order import load_triton_first  # noqa: PLC0415
    from monty_tools.opengl import rendering, use_headless_opengl  # noqa: PLC0415
    from tbp.monty.frameworks.run_env import setup_env  # noqa: PLC0415

    # Not sys.stderr, in whose place there may be something without a file.
    if sys.__stderr__ is not None:
        faulthandler.enable(sys.__stderr__)
    postpone_imports()
    use_headless_opengl(os.environ)
    load_triton_first()
    setup_env()

    from monty_tools.guard import Failed  # noqa: PLC0415
    from monty_tools.recording.environment import Divergence  # noqa: PLC0415
    from monty_tools.recording.fed import experiments_fed_from  # noqa: PLC0415
    from monty_tools.recording.progress import experiments_shown  # noqa: PLC0415
    from tbp.monty.frameworks import run as runner  # noqa: PLC0415
    from tbp.monty.frameworks.utils.unpickle_model import (  # noqa: PLC0415
        RefusedModel,
    )

    sys.argv = ["monty run", *hydra_arguments]
    # Otherwise Hydra prints exceptions, and exits with the status of a difference.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        with contextlib.ExitStack() as stack:
            if options.recording is None:
                stack.enter_context(rendering())
            else:
                stack.enter_context(experiments_fed_from(options.recording, runner))
            stack.enter_context(profiled(runner))
            stack.enter_context(experiments_shown(runner))
            _print_what_ran_where()
            runner.main()
    except Divergence as divergence:
        print(f"monty run: {divergence}", file=sys.stderr)
        return 1
    except RefusedModel as reason:
        raise Failed(str(reason)) from reason
    return 0


def _parser() -> Parser:
    parser = _RunParser(
        "monty run", DESCRIPTION, words="experiment=NAME [OVERRIDE ...]"
    )
    parser.add_shared("--backend")
    parser.add_argument(
        "--devices", metavar="NUMBERS", help=f"the GPUs to use, as in 0,1 ({DEVICES})"
    )
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="DIR",
        help="record where time and memory go, into this new folder",
    )
    parser.add_shared("--recording", "--trust")
    return parser


def _recorded_arguments(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    arguments: Sequence[str],
) -> list[str]:
    """Return the arguments of a recorded run, none if an experiment is named."""
    from monty_tools.ending import CouldNotRun  # noqa: PLC0415
    from monty_tools.recording.fed import asked_for  # noqa: PLC0415

    is_named = any(argument.startswith("experiment=") for argument in arguments)
    try:
        recorded = asked_for(
            options.recording, trusted=is_named or is_trusted(options.recording)
        )
    except (OSError, CouldNotRun) as problem:
        parser.exit(2, f"monty run: {problem}\n")
    return [] if is_named else recorded


def _profiled(
    parser: argparse.ArgumentParser, folder: Path | None, arguments: Sequence[str]
) -> Callable[[Any], ContextManager]:
    """Return what makes the runner record its run, and check the folder now."""
    if folder is None:
        return contextlib.nullcontext
    if {"-m", "--multirun"} & {*arguments}:
        parser.error("--profile records one run: leave --multirun out")

    from monty_tools.profile.folder import new_folder  # noqa: PLC0415

    empty = new_folder(folder.resolve())

    def recorded(runner: Any) -> ContextManager:
        # Imported here: it imports the experiment's modules.
        from monty_tools.profile.recorder import recorded_runs  # noqa: PLC0415

        return recorded_runs(empty, arguments, runner)

    return recorded


def _print_what_ran_where() -> None:
    """Print what backends log when they close, whatever the config logs."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    backends = logging.getLogger("tbp.monty.backends")
    backends.setLevel(logging.INFO)
    backends.addHandler(handler)


RUN = Command(_parser, _run)
