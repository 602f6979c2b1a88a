# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Garbage is collected after an experiment has been made, and after it is set up."""

from __future__ import annotations

from ..class_codemod import MODULE
from ..codemods.add_decorator import AddDecorator
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Making and setting up an experiment imports modules, resolves configs and reads models.
Nearly everything that this creates stays, and while the number of objects grows Python
searches all of them for garbage again and again. It took a twentieth of the time until
the first step.

To check: that collection is on again afterwards, also after an error."""

_NAME = "collecting_later"


def _collecting_later(file: str, class_name: str, method: str) -> Rewrite:
    module = f"tbp.monty.frameworks.utils.{_NAME}"
    return Rewrite(
        file,
        AddDecorator,
        dict(
            class_name=class_name,
            method=method,
            decorator=_NAME,
            imports=(NeededImport(module, _NAME),),
        ),
    )


STEP = Step(
    title="perf: collect no garbage while an experiment is set up",
    body=_BODY,
    rewrites=(
        _collecting_later("hydra.py", MODULE, "instantiate_experiment"),
        _collecting_later(
            "frameworks/experiments/monty_experiment.py",
            "MontyExperiment",
            "setup_experiment",
        ),
    ),
)
