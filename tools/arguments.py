# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What commands share: kinds of arguments, and what their exit status means.

It imports little, so that a command says what is wrong before it imports more.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from .ending import CouldNotRun

__all__ = [
    "DIFFERENT",
    "EQUAL",
    "Misused",
    "add_episodes",
    "add_experiment",
    "add_json",
    "add_trust",
    "experiment_of",
    "node_range",
    "positive",
    "tolerance",
    "writable_file",
]

EQUAL = 0
DIFFERENT = 1


class Misused(CouldNotRun):
    """The arguments do not fit together."""


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
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


def add_experiment(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments that `experiment_of` reads."""
    parser.add_argument(
        "overrides",
        nargs="*",
        metavar="experiment=NAME [OVERRIDE ...]",
        help="the experiment, and Hydra overrides",
    )


def add_episodes(
    parser: argparse.ArgumentParser, also: str = "", default: str = "all"
) -> None:
    """Adds the option to choose episodes, which `parity.episodes` reads.

    Args:
        parser: The parser.
        also: What else can be said about it.
        default: What is chosen without it.
    """
    parser.add_argument(
        "--episodes",
        metavar="SPEC",
        help="which episodes, counted from 0: all, 3 (one episode), :3 (the first "
        f"three), 4:, 5:8, or several as in 0,3,5:8.{also} Default: {default}",
    )


def add_json(parser: argparse.ArgumentParser, what: str = "the result") -> None:
    """Adds the option to write what a command prints to a file too."""
    parser.add_argument(
        "--json",
        type=writable_file,
        metavar="FILE",
        help=f"write {what} to this file too",
    )


def add_trust(parser: argparse.ArgumentParser) -> None:
    """Adds the switch that allows a recording to ask for anything."""
    parser.add_argument(
        "--trust-recording",
        action="store_true",
        help="let the recording's overrides name classes and files, too",
    )


def tolerance(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not 0 or more")
    return number


def experiment_of(overrides: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Returns the one experiment that is named, and the other overrides.

    Raises:
        Misused: If none is named, or several are.
    """
    names = [o for o in overrides if o.startswith("experiment=")]
    if len(names) != 1:
        raise Misused(f"expected one experiment=NAME, found {len(names)}")
    return names[0].partition("=")[2], tuple(o for o in overrides if o not in names)
