# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses updaters say how they update."""

from __future__ import annotations

from ..codemods.add_method import AddMethod
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
A backend that does the evidence update itself needs to know what the update is. The
two hypotheses updaters describe it as data. One that does not, or that subclasses
one of these, goes on to work: its learning module's own code runs.

To check: that the description has everything that decides the arithmetic, and that
parts which are not upstream's own are named instead."""

_MODULE = "tbp.monty.frameworks.models.evidence_matching.evidence_work"
_DESCRIPTION = NeededImport("tbp.monty.backends", "UpdaterDescription")

_METHOD = '''\
def describe(self) -> UpdaterDescription | str:
    """Return how this updater updates, or why that cannot be described."""
    return {describe}(self)
'''


def _describing(file: str, class_name: str, describe: str) -> Rewrite:
    return Rewrite(
        f"frameworks/models/evidence_matching/{file}",
        AddMethod,
        dict(
            class_name=class_name,
            place_after="reset",
            method=_METHOD.format(describe=describe),
            imports=(_DESCRIPTION, NeededImport(_MODULE, describe)),
        ),
    )


STEP = Step(
    title="feat: hypotheses updaters describe their update",
    body=_BODY,
    rewrites=(
        _describing(
            "hypotheses_updater.py",
            "DefaultHypothesesUpdater",
            "describe_default_updater",
        ),
        _describing(
            "burst_sampling.py",
            "BurstSamplingHypothesesUpdater",
            "describe_burst_sampling_updater",
        ),
    ),
    overlay=(
        "frameworks/models/evidence_matching/evidence_state.py",
        "frameworks/models/evidence_matching/evidence_work.py",
    ),
    tests=("frameworks/models/evidence_matching/evidence_work_test.py",),
)
