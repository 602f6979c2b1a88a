# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Says which rewrites do not fit a tree, all of them at once."""

from __future__ import annotations

import difflib
import functools
import textwrap
from typing import Iterable, Iterator, Mapping, Sequence

from .failures import (
    DoesNotParse,
    MissingAnchor,
    OverlayConflict,
    SeriesRefused,
    UnreadableFile,
    UpstreamUnavailable,
)
from .pin import PINNED
from .run import Run
from .series import SERIES
from .spans import Span
from .trial import Trial
from .upstream import obtain

__all__ = ["made_for", "refused", "rows_of"]

_ADVICE = "`monty-refactor port` shows where upstream moved what is looked for."
_OF_THE_FILE = (DoesNotParse, UnreadableFile)


def refused(
    trials: Iterable[Trial], conflicts: Iterable[OverlayConflict]
) -> SeriesRefused:
    """Return the exception that names what does not fit, and what upstream changed."""
    trials = list(trials)
    parts = dict.fromkeys(map(str, conflicts))
    parts.update(dict.fromkeys("\n".join(_lines(trial)) for trial in trials))
    head = f"{len(parts)} of what the series changes is not as it should be"
    message = "\n\n".join([f"{head}, nothing was written", *parts, _ADVICE])
    return SeriesRefused(message, [trial.step.title for trial in trials])


def rows_of(trial: Trial) -> list[tuple[str, str]]:
    """Return where a rewrite is, for messages: names and values."""
    codemod, failure = trial.rewrite.codemod, trial.failure
    class_name = getattr(codemod, "class_name", "")
    method = codemod.target.removeprefix(class_name).lstrip(".")
    rows = [
        ("step", f"{trial.step.title} ({trial.step.name})"),
        ("codemod", type(codemod).__name__),
        ("file", f"tbp/monty/{trial.rewrite.file}"),
    ]
    if isinstance(failure, MissingAnchor):
        class_name = failure.class_name or class_name
        method = failure.method or method
        rows.append(("looked for", failure.looked_for))
    elif failure is not None:
        rows.append(("failed", str(failure)))
    rows[3:3] = [("class", class_name), ("method", method)]
    return [row for row in rows if row[1]]


@functools.cache
def made_for() -> Mapping[tuple[str, str], Trial]:
    """Return what each rewrite does to the pinned release, if that can be had."""
    try:
        run = Run(obtain())
    except UpstreamUnavailable:
        return {}
    for step in SERIES:
        run.apply(step)
    return {(trial.step.name, trial.key): trial for trial in run.trials}


def _lines(trial: Trial) -> Iterator[str]:
    if isinstance(trial.failure, _OF_THE_FILE):
        yield f"  {trial.failure}"
        return
    for name, value in rows_of(trial):
        yield f"  {name + ':':<12}{value}"
    if trial.is_new:
        former = made_for().get((trial.step.name, trial.key))
        yield from _changes(former.spans if former else [], trial.spans)


def _changes(former: Sequence[Span], spans: Sequence[Span]) -> Iterator[str]:
    before, after = ("\n".join(one.text for one in each) for each in (former, spans))
    if not former:
        yield "  what it takes away, which nobody has looked at in this release:"
        yield textwrap.indent(after, "    ")
        return
    yield f"  what upstream changed since {PINNED.version} in what it takes away:"
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), n=2, lineterm=""
    )
    yield from (f"    {line}" for line in list(lines)[2:])
