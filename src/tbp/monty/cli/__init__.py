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
import difflib
import pkgutil
import sys
from typing import NoReturn, Sequence

from monty_tools.arguments import Command, Parser
from monty_tools.guard import UNABLE, guarded, without_debug
from tbp.monty import __version__
from tbp.monty.cli.sides import UPSTREAM, check_sides, named_sides, paths

__all__ = ["COMMANDS", "command_named", "main"]

COMMANDS = {
    "run": ("tbp.monty.cli.run:RUN", "run an experiment"),
    "run-parallel": (
        "monty_tools.parallel.command:RUN_PARALLEL",
        "run its episodes on many workers",
    ),
    "record": (
        "monty_tools.parity.command:RECORD",
        "record a run, to be fed again without a simulator",
    ),
    "parity": ("monty_tools.parity.command:PARITY", "are two sides equal?"),
    "bench run": ("monty_tools.bench.command:RUN", "how fast are they on a recording?"),
    "bench lm-phase": (
        "monty_tools.bench.command:LM_PHASE",
        "how fast is the step of the learning modules?",
    ),
    "bench vote": ("monty_tools.bench.command:VOTE", "how fast are their votes?"),
    "compare": ("monty_tools.compare.command:COMPARE", "how good are they?"),
    "report": ("monty_tools.report.command:REPORT", "a page of results to look at"),
    "plan": ("monty_tools.plan.command:PLAN", "what a run will ask of a machine"),
    "backends": ("tbp.monty.cli.backends:BACKENDS", "list the backends"),
    "model convert": (
        "tbp.monty.cli.model:CONVERT",
        "write a model without pickles",
    ),
}
"""Where each command is, and what it does. Modules are imported when needed."""

EPILOG = """\
{commands}

A SIDE is upstream, a backend's name or, for compare, a folder of results (with a /).
'monty COMMAND --help' says more. --debug prints the traceback of a failure, too.

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
    words, debug = without_debug(arguments)
    name = next((n for n in (" ".join(words[:2]), *words[:1]) if n in COMMANDS), None)
    if name is None:
        _without_command(words)
    words = words[len(name.split()) :]

    def command() -> int:
        found = command_named(name)
        parser = found.parser()
        options = parser.read(words)
        check_sides(parser, options)
        return found.main(options, paths(upstream=UPSTREAM in named_sides(options)))

    return guarded(f"monty {name}", command, debug=debug)


def command_named(name: str) -> Command:
    """Return one of `COMMANDS`."""
    command: Command = pkgutil.resolve_name(COMMANDS[name][0])
    return command


def _without_command(words: Sequence[str]) -> NoReturn:
    """Say what commands there are, and end the process."""
    known = [name for name in COMMANDS if [*words[:1]] == name.split()[:1]] or COMMANDS
    parser = Parser(
        "monty",
        "Runs Monty experiments, and compares the fork with upstream.",
        EPILOG.format(
            commands="\n".join(f"  monty {n:<16}{COMMANDS[n][1]}" for n in known)
        ),
        words="COMMAND",
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    said = parser.parse_args(words).words
    if not said:
        parser.error(f"name a command: {', '.join(known)}")
    near = [] if known is not COMMANDS else difflib.get_close_matches(said[0], known)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    print(f"monty: unknown command {' '.join(said[:2])!r}: {hint}", file=sys.stderr)
    sys.exit(UNABLE)
