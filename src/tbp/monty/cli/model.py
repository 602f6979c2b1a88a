# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty model`: rewrites models."""

from __future__ import annotations

import argparse
from pathlib import Path

from monty_tools.arguments import Command, Misused, Parser, check_new

__all__ = ["CONVERT"]

DESCRIPTION = """\
Writes a model as arrays and JSON, without pickles. Such a file cannot run code, whoever
it comes from. model_name_or_path may name it, or a folder in which it is named
model.zip.
"""

EPILOG = """\
examples:
  monty model convert pretrained/model.pt --out pretrained/model.zip
  monty model convert old/model.pt --out old.zip --trust old/model.pt

exit status: 0 converted, 2 could not convert, 130 interrupted
"""


def _parser() -> Parser:
    parser = Parser("monty model convert", DESCRIPTION, EPILOG, words="MODEL")
    parser.add_argument("model", type=Path, metavar="MODEL", help="it, or its folder")
    parser.add_shared("--out", required=True)
    parser.add_shared("--force", "--trust")
    return parser


def _convert(options: argparse.Namespace, _paths: object) -> int:
    check_new(options.out, force=options.force)
    if not options.out.parent.is_dir():
        raise Misused(f"{options.out.parent} is not a folder")

    # Imported here: they take seconds, and --help should not.
    from monty_tools.guard import Failed  # noqa: PLC0415
    from monty_tools.models.converted import write_converted  # noqa: PLC0415
    from tbp.monty.frameworks.utils.read_model import read_model  # noqa: PLC0415
    from tbp.monty.frameworks.utils.unpickle_model import (  # noqa: PLC0415
        RefusedModel,
    )

    path = options.model / "model.pt" if options.model.is_dir() else options.model
    try:
        write_converted(options.out, read_model(path))
    except RefusedModel as reason:
        raise Failed(str(reason)) from reason
    print(f"{options.out}: {options.out.stat().st_size / 2**20:.1f} MiB")
    return 0


CONVERT = Command(_parser, _convert)
