# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The `monty` command."""

from __future__ import annotations

import argparse
import os
from typing import Sequence

from monty_tools.guard import guarded, without_debug
from tbp.monty import __version__
from tbp.monty.cli.backends import backends
from tbp.monty.cli.model import model
from tbp.monty.cli.run import run
from tbp.monty.cli.tools import (
    bench,
    compare,
    parity,
    plan,
    record,
    replay,
    report,
    run_parallel,
    trace,
)

__all__ = ["COMMANDS", "TRUST_VARIABLE", "main"]

COMMANDS = {
    "run": run,
    "run-parallel": run_parallel,
    "backends": backends,
    "plan": plan,
    "parity": parity,
    "record": record,
    "trace": trace,
    "replay": replay,
    "bench": bench,
    "report": report,
    "compare": compare,
    "model": model,
}

TRUST_VARIABLE = "MONTY_TRUST_MODELS"
"""Read by `frameworks.utils.unpickle_model`, which takes seconds to import."""

EPILOG = """\
examples:
  monty run experiment=test/eval_mujoco
  monty run-parallel experiment=test/eval_mujoco --workers 2
  monty backends
  monty plan --lms 5 --objects 77
  monty parity experiment=test/eval_mujoco --episodes :2
  monty record experiment=test/eval_mujoco --out eval.rec.zip
  monty trace --recording eval.rec.zip --out eval.trace.zip
  monty replay eval.trace.zip --backend numba
  monty bench lm-phase --lms 5 --objects 10
  monty report lm_phase.json --out page.html
  monty compare --suite ycb_10objs_mujoco --markdown table.md
  monty model convert pretrained/model.pt model.zip

'monty COMMAND --help' says more about a command. With --debug, a command that fails
prints the traceback too.

exit status: 0 done, 1 compared and different, 2 could not run, 3 some episodes failed,
130 interrupted, 143 terminated
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: The command line. Defaults to the process's.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        prog="monty",
        description="Runs Monty experiments, and compares the fork with upstream.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument(
        "--trust-model",
        action="append",
        default=[],
        metavar="PATH",
        help="let this model, or the models below this folder, name any class, and so "
        f"run any code; may be repeated. Adds to {TRUST_VARIABLE}",
    )
    parser.add_argument(
        "command", choices=COMMANDS, metavar="COMMAND", help=", ".join(COMMANDS)
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    words, debug = without_debug(arguments)
    options = parser.parse_args(words)
    if options.trust_model:
        trusted = [os.environ.get(TRUST_VARIABLE, ""), *options.trust_model]
        os.environ[TRUST_VARIABLE] = os.pathsep.join(filter(None, trusted))
    return guarded(
        f"monty {options.command}",
        lambda: COMMANDS[options.command](options.arguments),
        debug=debug,
    )
