# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The burst sampling updater is also known by its former name."""

from __future__ import annotations

from ..codemods.add_decorator import AddDecorator
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Configs and code written before February 2026 name the class
ResamplingHypothesesUpdater, in a module of that name. Both import again, and are the
same class. Arguments that were replaced earlier are an error that says by what.

To check: the arguments named in replaced_arguments.py."""

_FOLDER = "frameworks/models/evidence_matching"
_DECORATOR = "names_replaced_arguments"

STEP = Step(
    title="feat: keep the former name of the burst sampling updater",
    part="fork",
    # Only a name; last, because nothing depends on it.
    after="read_converted_models",
    body=_BODY,
    rewrites=(
        Rewrite(
            f"{_FOLDER}/burst_sampling.py",
            AddDecorator(
                class_name="BurstSamplingHypothesesUpdater",
                method="__init__",
                decorator=_DECORATOR,
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.models.evidence_matching.replaced_arguments",
                        _DECORATOR,
                    ),
                ),
            ),
        ),
    ),
    overlay=(
        f"{_FOLDER}/replaced_arguments.py",
        f"{_FOLDER}/resampling_hypotheses_updater.py",
    ),
    tests=(
        "frameworks/models/evidence_matching/resampling_hypotheses_updater_test.py",
    ),
)
