# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What an experiment is made of is not searched for garbage."""

from __future__ import annotations

from ..class_codemod import MODULE
from ..codemods.add_decorator import AddDecorator
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Making and setting up an experiment imports modules, resolves configs and reads models.
Nearly everything that this creates stays. While it is created, Python searches it for
garbage again and again, which took a twentieth of the time until the first step. It
does so again every few steps, which took an eighth of the time of a run with one
learning module. No garbage is collected during set-up, and all that exists afterwards
is exempt from collection until the experiment is closed.

To check: that collection is on again afterwards, also after an error; and that what one
experiment leaves is collected during the next."""

_UTILS = "tbp.monty.frameworks.utils"
_EXPERIMENT = "frameworks/experiments/monty_experiment.py"


def _decorated(
    file: str, class_name: str, method: str, module: str, decorator: str
) -> Rewrite:
    return Rewrite(
        file,
        AddDecorator,
        class_name=class_name,
        method=method,
        decorator=decorator,
        imports=(NeededImport(f"{_UTILS}.{module}", decorator),),
    )


STEP = Step(
    title="perf: exempt what an experiment is made of from garbage collection",
    body=_BODY,
    rewrites=(
        _decorated(
            "hydra.py",
            MODULE,
            "instantiate_experiment",
            "collecting_later",
            "collecting_later",
        ),
        *(
            _decorated(
                _EXPERIMENT, "MontyExperiment", method, "frozen_setup", decorator
            )
            for method, decorator in (
                ("setup_experiment", "freezing_setup"),
                ("close", "unfreezing_setup"),
            )
        ),
    ),
    overlay=("frameworks/utils/frozen_setup.py",),
    tests=("frameworks/utils/frozen_setup_test.py",),
)
