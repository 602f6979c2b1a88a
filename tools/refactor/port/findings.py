# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a tree means for each rewrite of the series."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Sequence

from .. import steps
from ..failures import MissingAnchor
from ..layout import checkout
from ..refusal import made_for
from ..run import Run
from ..spans import Span
from ..step import Step
from ..trial import Trial
from .places import Match, Place, Places

__all__ = ["Finding", "Status", "find_all"]

_ALIKE = 0.6
"""A lower score is another thing."""


class Status(Enum):
    OK = "ok"
    THERE = "already there"
    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"
    WAITS = "waits"
    """It changes what an earlier step makes, which fails."""
    FAILED = "failed"


@dataclass(frozen=True)
class Finding:
    """What became of a rewrite.

    Attributes:
        trial: The rewrite.
        status: What became of it.
        pinned: What it takes away from the pinned release, or where it works there.
        present: What the tree has instead.
        match: The nearest place, if it moved.
    """

    trial: Trial
    status: Status
    pinned: str = ""
    present: str = ""
    match: Match | None = None

    @property
    def is_to_do(self) -> bool:
        return self.status not in (Status.OK, Status.THERE)

    @property
    def ours(self) -> str:
        """The line of ours that says what is looked for."""
        # Resolved, because the fork reaches this package through a link.
        path = Path(steps.__path__[0]).resolve() / f"{self.trial.step.name}.py"
        lines = path.read_text("utf-8").splitlines()
        root = checkout()
        shown = path.relative_to(root) if root else path
        for setting in _settings(self.trial):
            for number, line in enumerate(lines, 1):
                if setting and setting.splitlines()[0] in line:
                    return f"{shown}:{number}"
        return str(shown)


def find_all(run: Run, before: Places, after: Places) -> list[Finding]:
    """Return what became of each rewrite of a run.

    Args:
        run: The run.
        before: The places of the pinned release.
        after: The places of the tree.
    """
    failed: list[Step] = []
    findings = []
    for trial in run.trials:
        finding = _found(trial, before, after, may_wait=bool(failed))
        if finding.trial.failure:
            failed.append(trial.step)
        findings.append(finding)
    return findings


def _found(trial: Trial, before: Places, after: Places, *, may_wait: bool) -> Finding:
    former = made_for().get((trial.step.name, trial.key))
    spans = former.spans if former else []
    if trial.failure is not None:
        if may_wait and _is_ours(trial, spans, before):
            return Finding(trial, Status.WAITS, _text(spans))
        if not isinstance(trial.failure, MissingAnchor):
            return Finding(trial, Status.FAILED, _text(spans))
        return _missed(trial, spans, before, after)
    if trial.is_new:
        return Finding(trial, Status.CHANGED, _text(spans), _text(trial.spans))
    return Finding(trial, Status.THERE if trial.is_done else Status.OK)


def _is_ours(trial: Trial, spans: Sequence[Span], before: Places) -> bool:
    """Return whether a rewrite changes what an earlier step makes."""
    if before.find(trial.rewrite.file, _wanted(trial)) is None:
        return True
    forms = {form for span in spans for form in span.forms}
    return bool(forms) and not forms & before.forms(trial.rewrite.file)


def _missed(
    trial: Trial, spans: Sequence[Span], before: Places, after: Places
) -> Finding:
    """Return where the code is that a rewrite looks for."""
    file, name = trial.rewrite.file, _wanted(trial)
    former, present = (places.find(file, name) for places in (before, after))
    text = _text(spans) or (former.text if former else "")
    if present is not None and not spans:
        return Finding(trial, Status.CHANGED, text, present.text)
    match = None
    if present is not None:
        wanted = Place(file, name, 0, text)
        match = after.nearest_statements(wanted, len(spans[0].forms))
    elif former is not None:
        match = after.nearest(former)
    if match is None or match.score < _ALIKE:
        return Finding(trial, Status.GONE, text, match=match)
    is_there = (match.place.file, match.place.name) == (file, name)
    status = Status.CHANGED if is_there else Status.MOVED
    return Finding(trial, status, text, match.place.text, match)


def _wanted(trial: Trial) -> str:
    """Return the class, method or function that a rewrite did not find as it should."""
    failure, codemod = trial.failure, trial.rewrite.codemod
    if isinstance(failure, MissingAnchor) and (failure.class_name or failure.method):
        return f"{failure.class_name}.{failure.method}".strip(".")
    return codemod.target


def _text(spans: Sequence[Span]) -> str:
    return "\n".join(span.text for span in spans)


def _settings(trial: Trial) -> list[str]:
    """Return what a codemod looks for, the most particular first."""
    codemod = trial.rewrite.codemod
    first = ("first", "expression", "function", "line", "place_after", "method")
    names = [field.name for field in dataclasses.fields(codemod)]
    order = [*(one for one in first if one in names), "class_name"]
    found = [_wanted(trial).rpartition(".")[2]] if trial.failure else []
    return [*found, *(str(getattr(codemod, name, "")) for name in order)]
