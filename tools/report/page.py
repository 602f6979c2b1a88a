# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Puts sections on one page that needs no network."""

from __future__ import annotations

import base64
import hashlib
import math
import statistics
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import jinja2
import vl_convert
from markupsafe import Markup

from ..guard import Failed
from ..profile.schema import Profile
from ..refactor.layout import build_folder
from ..temporary import write_whole
from .bench_sections import bench_sections
from .compared_sections import compare_section, parity_section
from .content import Cell, Section, Table
from .inputs import Input
from .profile_sections import profile_sections, side_by_side
from .style import PAGE, config

__all__ = ["make_page", "sections_of"]

HERE = Path(__file__).parent
MOST_DECIMALS = 6
THIN_SPACE = "\u2009"
NOTHING = "\u2013"

SECTION_OF = {
    "monty-parity": parity_section,
    "monty-compare": compare_section,
}


def sections_of(inputs: Sequence[Profile | Input]) -> list[Section]:
    """Return the sections about everything that was read.

    Raises:
        Failed: If a file lacks what its section needs.
    """
    profiles = [one for one in inputs if isinstance(one, Profile)]
    files = [one for one in inputs if isinstance(one, Input)]
    benchmarks = [one for one in files if one.content["format"] == "monty-bench"]
    others = [one for one in files if one not in benchmarks]
    return [
        *side_by_side(profiles),
        *(section for profile in profiles for section in profile_sections(profile)),
        *_sections(bench_sections, benchmarks),
        *(found for one in others for found in _sections(_other_sections, [one])),
    ]


def _sections(
    make: Callable[[Sequence[Input]], list[Section]], files: Sequence[Input]
) -> list[Section]:
    try:
        return make(files)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as no:
        named = ", ".join(str(one.path) for one in files)
        reason = f"{type(no).__name__}: {no}"
        raise Failed(f"{named}: cannot be shown, it is damaged: {reason}") from no


def _other_sections(files: Sequence[Input]) -> list[Section]:
    return [SECTION_OF[one.content["format"]](one) for one in files]


def make_page(title: str, sections: Sequence[Section]) -> str:
    """Return the page.

    Args:
        title: Its title.
        sections: What it shows.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(shown=_rows, texts=_texts)
    scripts = {"library": _library(), "script": _read("page.js") + _read("timeline.js")}
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts.values())
    return environment.get_template("page.html.jinja").render(
        title=title,
        sections=sections,
        sources=list(dict.fromkeys(section.source for section in sections)),
        choice_names={"episode": "Episode", "lm": "Learning module"},
        # Vega sets styles; nothing may be loaded, and no other script may run.
        policy=f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'",
        look=config(PAGE),
        style=Markup(_read("page.css")),  # noqa: S704 our own files
        **{name: Markup(script) for name, script in scripts.items()},  # noqa: S704
    )


def _library() -> str:
    """Return Vega, Vega-Lite and vegaEmbed as one script; bundling takes seconds."""
    kept = build_folder() / "report" / f"vega_{version('vl-convert-python')}.js"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        # vl_convert's types lack the default that its documentation has.
        bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]
        write_whole(kept, bundle)
    return kept.read_text("utf-8")


def _read(name: str) -> str:
    return (HERE / name).read_text("utf-8")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _rows(table: Table) -> list[list[tuple[Cell, str]]]:
    """Return the values of a table with their texts."""
    columns = [_texts(column) for column in zip(*table.rows, strict=True)]
    texts = zip(*columns, strict=True)
    return [
        list(zip(row, line, strict=True))
        for row, line in zip(table.rows, texts, strict=True)
    ]


def _texts(values: Sequence[Cell]) -> list[str]:
    """Return the texts of a column, whose numbers have the same number of decimals."""
    sizes = [abs(value) for value in values if isinstance(value, float) and value]
    decimals = 2 - math.floor(math.log10(statistics.median(sizes))) if sizes else 0
    return [_text(value, max(decimals, 0)) for value in values]


def _text(value: Cell, decimals: int) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return value
    if decimals > MOST_DECIMALS or 0 < abs(value) < 10**-decimals:
        return f"{value:.2g}"
    places = decimals if isinstance(value, float) else 0
    return f"{value:,.{places}f}".replace(",", THIN_SPACE)
