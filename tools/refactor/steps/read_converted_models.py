# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Models without pickles are read, too."""

from __future__ import annotations

from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
`monty model convert` writes a model as arrays and JSON. `model_name_or_path` may name
such a file, or a folder with one.

It is not for upstream as it is: the reader belongs to the fork's tools, and other files
go to `unpickle_model`, which needs torch 2.6.

To check: that a path means the same as before where there is no such file."""

_UTILS = "tbp.monty.frameworks.utils"

STEP = Step(
    title="feat: read models that hold no pickle",
    part="fork",
    after="unpickle_models",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/experiments/monty_experiment.py",
            ReplaceCall(
                class_name="MontyExperiment",
                method="setup_experiment",
                function="unpickle_model",
                by="read_model",
                imports=(NeededImport(f"{_UTILS}.read_model", "read_model"),),
                unused=("unpickle_model",),
            ),
        ),
    ),
    overlay=("frameworks/utils/read_model.py",),
)
