# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Fingerprints of what the rewrites take away from upstream.

Beside each step is a JSON file, which `monty-refactor port --accept` writes. For each
rewrite that removes, replaces or moves something it has a hash of the normal form of
this code, by release; it holds nothing of the code itself.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Iterator, Mapping, Sequence

from . import steps
from .spans import Span
from .step import Rewrite, Step
from .trial import Trial

__all__ = ["accept", "accepted", "fingerprint", "keys_of"]

_DIGITS = 16


def fingerprint(spans: Sequence[Span]) -> str:
    """Return the hash of spans, whatever their comments and layout are."""
    forms = "\n\n".join("\n".join(span.forms) for span in spans)
    return hashlib.sha256(forms.encode()).hexdigest()[:_DIGITS]


def keys_of(step: Step) -> Iterator[tuple[str, Rewrite]]:
    """Yield the rewrites of a step, each with a name that no other of them has."""
    seen: dict[str, int] = {}
    for rewrite in step.rewrites:
        kind, place = type(rewrite.codemod).__name__, rewrite.codemod.target
        key = " ".join(filter(None, (rewrite.file, place, kind)))
        seen[key] = seen.get(key, 0) + 1
        yield (key if seen[key] == 1 else f"{key} {seen[key]}"), rewrite


def accepted(step: Step) -> Mapping[str, Mapping[str, str]]:
    """Return the fingerprints of a step: by rewrite and release."""
    file = _file(step)
    return json.loads(file.read_text("utf-8")) if file.is_file() else {}


def accept(step: Step, release: str, trials: Sequence[Trial]) -> None:
    """Write the fingerprints of a step for a release.

    Args:
        step: The step.
        release: The version.
        trials: What its rewrites did. Of one that failed, what is known stays.
    """
    former = accepted(step)
    table = {}
    for trial in trials:
        hashes = dict(former.get(trial.key, {}))
        if trial.spans:
            hashes[release] = fingerprint(trial.spans)
        if hashes:
            table[trial.key] = dict(sorted(hashes.items()))
    _file(step).unlink(missing_ok=True)
    if table:
        _file(step).write_text(json.dumps(table, indent=1) + "\n", "utf-8")


def _file(step: Step) -> Path:
    return Path(steps.__path__[0]) / f"{step.name}.json"
