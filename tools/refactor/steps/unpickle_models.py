# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Models are unpickled without running code that they name."""

from __future__ import annotations

from typing import Sequence

from ..class_codemod import MODULE
from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
A pickle may name any function, and calls it when it is loaded: a `model.pt` that was
downloaded runs with all rights of the user. Models are now loaded with torch's
`weights_only=True` and a list of the classes that models hold. A model that needs more
is refused with the names of these classes. `MONTY_TRUST` names the models, or
folders of models, to load as before. Strings with an OmegaConf interpolation are
refused, too, as they are evaluated when they are read.

It is not for upstream as it is: it needs `torch.serialization.safe_globals` (torch
2.6), and upstream pins torch 1.13.1 for Python 3.8. `load_state_dir` stays unchanged:
it also loads the experiment's config, which names classes to make.

To check: the list of classes, and that each of them only holds data."""

_NAME = "unpickle_model"


def _loading(
    file: str,
    class_name: str,
    method: str,
    later: Sequence[str] = (),
    unused: Sequence[str] = (),
) -> Rewrite:
    return Rewrite(
        file,
        ReplaceCall(
            class_name=class_name,
            method=method,
            function="torch.load",
            by=_NAME,
            dropped=("weights_only",),
            imports=(NeededImport(f"tbp.monty.frameworks.utils.{_NAME}", _NAME),),
            later=later,
            unused=unused,
        ),
    )


STEP = Step(
    title="fix: unpickle models without running code that they name",
    part="fork",
    # Files are data: pickles are refused what models do not need, and other files
    # can take their place.
    after="dispatch_votes",
    body=_BODY,
    rewrites=(
        _loading(
            "frameworks/experiments/monty_experiment.py",
            "MontyExperiment",
            "setup_experiment",
            later=("read_model",),
        ),
        _loading(
            "frameworks/models/graph_matching.py",
            "MontyForGraphMatching",
            "load_state_dict_from_parallel",
        ),
        _loading(
            "frameworks/utils/logging_utils.py",
            MODULE,
            "load_models_from_dir",
            unused=("torch",),
        ),
    ),
    overlay=(f"frameworks/utils/{_NAME}.py",),
    tests=(f"frameworks/utils/{_NAME}_test.py",),
)
