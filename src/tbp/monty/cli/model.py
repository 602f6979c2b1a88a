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
import sys
from pathlib import Path
from typing import Sequence

__all__ = ["model"]

CONVERT = """\
Writes a model as arrays and JSON, without pickles. Such a file cannot run code, whoever
it comes from. model_name_or_path may name it, or a folder in which it is named
model.zip.
"""

EPILOG = """\
examples:
  monty model convert pretrained/model.pt pretrained/model.zip
  monty --trust-model old/model.pt model convert old/model.pt old.zip

exit status: 0 converted, 2 could not convert, 130 interrupted
"""


def model(arguments: Sequence[str]) -> int:
    """Rewrite a model.

    Args:
        arguments: The command line after `monty model`.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(prog="monty model", description="Rewrites models.")
    what = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    convert = what.add_parser(
        "convert",
        help="to a file without pickles",
        description=CONVERT,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    convert.add_argument(
        "model", type=Path, metavar="IN", help="the model, or its folder"
    )
    convert.add_argument("out", type=Path, metavar="OUT", help="the file to write")
    convert.add_argument(
        "--force", action="store_true", help="replace the file if it is there"
    )
    return _convert(convert, parser.parse_args(arguments))


def _convert(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    if options.out.exists() and not options.force:
        parser.error(f"{options.out} is there already: --force replaces it")
    if not options.out.parent.is_dir():
        parser.error(f"{options.out.parent} is not a folder")

    # Imported here: they take seconds, and --help should not.
    from monty_tools.ending import CouldNotRun  # noqa: PLC0415
    from monty_tools.models.converted import write_converted  # noqa: PLC0415
    from tbp.monty.frameworks.utils.read_model import read_model  # noqa: PLC0415
    from tbp.monty.frameworks.utils.unpickle_model import (  # noqa: PLC0415
        RefusedModel,
    )

    path = options.model / "model.pt" if options.model.is_dir() else options.model
    try:
        write_converted(options.out, read_model(path))
    except (OSError, RefusedModel, CouldNotRun) as problem:
        print(f"monty model convert: {problem}", file=sys.stderr)
        return 2
    print(f"{options.out}: {options.out.stat().st_size / 2**20:.1f} MiB")
    return 0
