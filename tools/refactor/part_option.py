# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The option `--part` of the commands that run the series or its first parts."""

from __future__ import annotations

import argparse

from .series import ALL, PARTS

__all__ = ["add_part_option", "in_words"]


def add_part_option(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the option to a command."""
    parser.add_argument(
        "--part",
        choices=[*PARTS, ALL],
        default=default,
        help="the steps of this part and of the parts before it (default: %(default)s)",
    )


def in_words(part: str) -> str:
    """Return the name of a part and the parts before it, for a message."""
    names = list(PARTS)
    if part in (ALL, names[-1]):
        return "the series"
    return " and ".join(names[: names.index(part) + 1])
