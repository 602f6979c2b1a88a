# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The words of all commands: their parsers, and the options that several of them have.

It imports little, so that a command says what is wrong before it imports more.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from .guard import Failed

__all__ = [
    "DIFFERENT",
    "EQUAL",
    "SHARED",
    "TRUST_VARIABLE",
    "Command",
    "Misused",
    "Parser",
    "check_new",
    "experiment_of",
    "is_folder",
    "is_trusted",
    "node_range",
    "positive",
    "runnable",
    "writable_file",
]

EQUAL = 0
DIFFERENT = 1

TRUST_VARIABLE = "MONTY_TRUST"
"""Names files, or folders of files, that may name any class: `path[:path]`."""


class Misused(Failed):
    """The arguments do not fit together."""


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        parser: Makes its parser.
        main: Runs it with the parsed arguments, and with the paths of upstream and of
            the fork (see `workers.sides.Paths`); returns the exit status.
    """

    parser: Callable[[], Parser]
    main: Callable[[argparse.Namespace, Any], int]

    def __call__(self, words: Sequence[str], paths: Any) -> int:
        """Run it, and return the exit status."""
        return self.main(self.parser().read(words), paths)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)


class Parser(argparse.ArgumentParser):
    """A parser whose help fits a screen, and which suggests what was meant."""

    def __init__(
        self, prog: str, description: str, epilog: str = "", *, words: str = ""
    ) -> None:
        """Make a parser without arguments.

        Args:
            prog: The command, as it is typed.
            description: What it does, in lines of at most 80 characters.
            epilog: Examples, and what the exit status says.
            words: What is typed besides options.
        """
        super().__init__(
            prog=prog,
            usage=" ".join(filter(None, (prog, words, "[OPTION ...]"))),
            description=description,
            epilog=epilog,
            formatter_class=_Formatter,
            allow_abbrev=False,
        )

    def add_experiment(self) -> None:
        """Add the words that `experiment_of` reads."""
        self.add_argument(
            "overrides",
            nargs="*",
            metavar="experiment=NAME [OVERRIDE ...]",
            help="the experiment, and Hydra overrides",
        )

    def add_shared(self, *names: str, **changes: Any) -> None:
        """Add options that mean the same in all commands.

        Args:
            *names: Their names, with the dashes.
            **changes: What differs from `SHARED` for all of them, such as `required`.
        """
        for name in names:
            self.add_argument(name, **{**SHARED[name], **changes})

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Return what is asked for; options may stand between other words."""
        return self.parse_intermixed_args(words)

    def error(self, message: str) -> NoReturn:
        """End the process with a message, and with the nearest known option."""
        words = re.findall(r"(?<!\S)--[\w-]+", message)
        near = list(filter(None, map(self.nearest, words)))
        super().error(f"{message}; did you mean {near[0]}?" if near else message)

    def nearest(self, word: str) -> str | None:
        """Return the option that may have been meant; None if there is none."""
        known = re.findall(r"(?<![\w-])--[\w-]+", self.format_help())
        name = word.partition("=")[0]
        near = difflib.get_close_matches(name, known, n=1)
        return near[0] if near and name not in known else None


class _Trust(argparse.Action):
    """Trusts a path in this process, and in those that it starts."""

    def __call__(self, *arguments: Any) -> None:
        _, namespace, path, _ = arguments
        trusted = [os.environ.get(TRUST_VARIABLE, ""), str(path)]
        os.environ[TRUST_VARIABLE] = os.pathsep.join(filter(None, trusted))
        setattr(namespace, self.dest, path)


def is_trusted(path: Path) -> bool:
    """Return whether a file, or a folder that it is in, is trusted."""
    named = os.environ.get(TRUST_VARIABLE, "").split(os.pathsep)
    trusted = {Path(one).resolve() for one in named if one}
    path = path.resolve()
    return not trusted.isdisjoint((path, *path.parents))


def is_folder(side: str) -> bool:
    """Return whether a side is a folder of results, which is written with a slash."""
    return "/" in side


def runnable(text: str) -> str:
    """Returns a side that can be run: upstream, or a backend."""
    if is_folder(text):
        raise argparse.ArgumentTypeError(f"{text} is a folder, which cannot be run")
    return text


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def tolerance(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not 0 or more")
    return number


def node_range(text: str) -> tuple[int, int]:
    """Returns the fewest and the most nodes, of N or MIN-MAX."""
    low, dash, high = text.partition("-")
    least = positive(low)
    most = positive(high) if dash else least
    if most < least:
        raise argparse.ArgumentTypeError(f"{text}: {least} is more than {most}")
    return least, most


def writable_file(text: str) -> Path:
    """Returns a file to write, checked now and not after minutes of work."""
    file = Path(text)
    needed = [file] if file.exists() else []
    if not needed or file.is_file():
        needed.append(file.parent)  # another file of that name is put there
    if file.is_dir() or not all(os.access(one, os.W_OK) for one in needed):
        raise argparse.ArgumentTypeError(f"{text} cannot be written to")
    return file


SHARED: dict[str, dict[str, Any]] = {
    "--backend": dict(metavar="NAME", help="the fork's backend; see 'monty backends'"),
    "--baseline": dict(
        type=runnable,
        metavar="SIDE",
        default="upstream",
        help="upstream or a backend (default: upstream)",
    ),
    "--episodes": dict(
        metavar="SPEC",
        help="which episodes, from 0: all, 3, :3 (the first three), 4:, 0,3,5:8",
    ),
    "--force": dict(action="store_true", help="replace what --out names"),
    "--json": dict(
        type=writable_file, metavar="FILE", help="write the result to a file, too"
    ),
    "--lms": dict(type=positive, metavar="N", help="learning modules"),
    "--no-shadows": dict(
        dest="shadows",
        action="store_false",
        help="render without shadows: other images, many times faster in software",
    ),
    "--nodes": dict(type=node_range, metavar="N|MIN-MAX", help="nodes of an object"),
    "--objects": dict(type=positive, metavar="N", help="objects that are known"),
    "--out": dict(type=Path, metavar="PATH", help="what to write"),
    "--proposed": dict(
        type=runnable,
        metavar="SIDE",
        help="what is compared with it (default: the backend that a run would use)",
    ),
    "--recording": dict(
        type=Path,
        metavar="FILE",
        help="a run of 'monty record': no simulator is needed",
    ),
    "--rounds": dict(type=positive, metavar="N", help="rounds of measurements"),
    "--side": dict(
        type=runnable,
        metavar="SIDE",
        default="upstream",
        help="what runs: upstream or a backend (default: upstream)",
    ),
    "--share-objects": dict(
        action="store_true",
        help="all learning modules have the same nodes of an object",
    ),
    "--steps": dict(type=positive, metavar="N", help="end after N Monty steps"),
    "--tolerance": dict(
        type=tolerance, metavar="T", help="by how much results may differ"
    ),
    "--trust": dict(
        action=_Trust,
        type=Path,
        metavar="PATH",
        help="let this file, or files in this folder, run any code; may be repeated",
    ),
    "--updater": dict(choices=("default", "burst_sampling"), help="hypotheses updater"),
    "--workers": dict(type=positive, metavar="N", help="episodes that run at a time"),
}
"""The options that several commands have, and what they mean in all of them."""


def check_new(path: Path, *, force: bool) -> None:
    """Checks a file that a command will write.

    Raises:
        Misused: If it is there already and need not be replaced.
    """
    if path.exists() and not force:
        raise Misused(f"{path} is there already: --force replaces it")


def experiment_of(overrides: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Returns the one experiment that is named, and the other overrides.

    Raises:
        Misused: If none is named, or several are.
    """
    names = [o for o in overrides if o.startswith("experiment=")]
    if len(names) != 1:
        raise Misused(f"expected one experiment=NAME, found {len(names)}")
    return names[0].partition("=")[2], tuple(o for o in overrides if o not in names)
