# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The command ``monty report``."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

from ..arguments import Command, Parser, check_new, writable_file
from ..guard import Failed
from ..temporary import write_whole

__all__ = ["REPORT"]

NEEDED = ("jinja2", "vl_convert")

DESCRIPTION = """\
Writes one HTML page about profiles, benchmarks and comparisons. It needs no network,
and opens in any browser. The command needs the extra 'report'.
"""

EPILOG = """\
examples:
  monty run experiment=NAME --backend numba --profile numba.profile
  monty report numba.profile --out page.html
  monty bench lm-phase --lms 5 --objects 10 --json b10.json
  monty report b10.json numba.profile --out both.html --force

exit status: 0 written, 2 could not be made, 130 interrupted
"""


def _report(args: argparse.Namespace, _paths: object) -> int:
    check_new(args.out, force=args.force)
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise Failed(
            f"{', '.join(missing)} not installed: monty report needs the extra "
            "'report', as in pip install '.[report]'"
        )

    from .inputs import read_input  # noqa: PLC0415 only now are they known to be there
    from .page import make_page, sections_of  # noqa: PLC0415

    page = make_page(
        args.title, sections_of([read_input(path) for path in args.inputs])
    )
    write_whole(args.out, page)
    print(f"{args.out}: {len(page.encode()) / 2**20:.1f} MiB")
    return 0


def _parser() -> Parser:
    parser = Parser("monty report", DESCRIPTION, EPILOG, words="DIR|FILE ...")
    parser.add_argument(
        "inputs",
        nargs="+",
        type=Path,
        metavar="DIR|FILE",
        help="what monty run --profile wrote, or a command with --json",
    )
    parser.add_shared("--out", required=True, type=writable_file)
    parser.add_shared("--force")
    parser.add_argument(
        "--title", default="Monty report", metavar="TEXT", help="the page's title"
    )
    return parser


REPORT = Command(_parser, _report)
