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
from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
A backend that does the evidence update itself needs to know what the update is. The
two hypotheses updaters describe it as data, and the work that a learning module
dispatches carries the description. An updater without a description, and a subclass of
one of these two, still works: a backend says that it cannot run it, and why.

To check: that the description has everything that decides the arithmetic, and that
parts which are not upstream's own are named instead."""

_MODULE = "tbp.monty.frameworks.models.evidence_matching.described_work"
_DESCRIPTION = NeededImport("tbp.monty.backends.described_work", "UpdaterDescription")

_METHOD = '''\
def describe(self) -> UpdaterDescription | str:
    """Return how this updater updates, or why that cannot be described."""
    return {describe}(self)
'''


def _describing(file: str, class_name: str, describe: str) -> Rewrite:
    return Rewrite(
        f"frameworks/models/evidence_matching/{file}",
        AddMethod(
            class_name=class_name,
            place_after="reset",
            method=_METHOD.format(describe=describe),
            imports=(_DESCRIPTION, NeededImport(_MODULE, describe)),
        ),
    )


STEP = Step(
    title="feat: hypotheses updaters describe their update",
    part="backends",
    # Work is described before a backend reads the description.
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
        Rewrite(
            "frameworks/models/evidence_matching/learning_module.py",
            ReplaceCall(
                class_name="EvidenceGraphLM",
                method="_dispatch_update_possible_matches",
                function="evidence_work",
                by="described_work",
                later=("resident_work",),
                imports=(NeededImport(_MODULE, "described_work"),),
                unused=("evidence_work",),
            ),
        ),
    ),
    overlay=(
        "backends/described_work.py",
        "frameworks/models/evidence_matching/described_work.py",
        "frameworks/models/evidence_matching/evidence_state.py",
    ),
    tests=("frameworks/models/evidence_matching/described_work_test.py",),
)
