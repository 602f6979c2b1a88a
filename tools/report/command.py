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
from collections.abc import Sequence
from pathlib import Path

from ..arguments import writable_file
from ..guard import Failed
from ..temporary import write_whole

__all__ = ["report_main"]

NEEDED = ("jinja2", "vl_convert")

EPILOG = """\
examples:
  monty run experiment=NAME --backend numba --profile numba.profile
  monty report numba.profile --out page.html
  monty bench lm-phase --lms 5 --objects 10 --json b10.json
  monty bench lm-phase --lms 5 --objects 40 --json b40.json
  monty report b10.json b40.json --out speed_up.html

Any mix of profile folders and JSON files makes one page. It needs no network, and opens
in any browser. The command needs the extra 'report'.

exit status: 0 written, 2 could not be made, 130 interrupted
"""


def report_main(argv: Sequence[str]) -> int:
    """Run ``monty report`` with these arguments, and return the exit status."""
    args = _parser().parse_intermixed_args(argv)
    _report(args.inputs, args.out, args.title)
    return 0


def _report(paths: Sequence[Path], out: Path, title: str) -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise Failed(
            f"{', '.join(missing)} not installed: monty report needs the extra "
            "'report', as in pip install '.[report]'"
        )

    from .inputs import read_input  # noqa: PLC0415 only now are they known to be there
    from .page import make_page, sections_of  # noqa: PLC0415

    page = make_page(title, sections_of([read_input(path) for path in paths]))
    write_whole(out, page)
    print(f"{out}: {len(page.encode()) / 2**20:.1f} MiB")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="monty report",
        description="Writes one HTML page about profiles, benchmarks and comparisons.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "inputs",
        nargs="+",
        type=Path,
        metavar="DIR|FILE",
        help="a folder that monty run --profile wrote, or a file that monty bench, "
        "parity, replay or compare wrote with --json",
    )
    parser.add_argument(
        "--out", type=writable_file, required=True, metavar="FILE", help="the page"
    )
    parser.add_argument(
        "--title", default="Monty report", metavar="TEXT", help="the page's title"
    )
    return parser
