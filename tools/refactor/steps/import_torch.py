# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""torch is imported where models are read or built."""

from __future__ import annotations

from ..codemods.import_where_used import ImportWhereUsed
from ..codemods.remove_statement import RemoveStatement
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Importing a learning module imported torch, which takes more than a second. It is needed
to read and to build models. Modules import it in the functions that do that.

The buffer asked torch for the class of tensors, to register how they are encoded. It
knows them by name now: whoever has made one has imported torch.

To check: that an encoder which is registered for tensors, or for a class of them, still
comes first."""

_BUFFER = "frameworks/models/buffer.py"
_NAME = "tensor_encoder"
_OTHERS = (
    "frameworks/experiments/monty_experiment.py",
    "frameworks/models/feature_location_matching.py",
    "frameworks/models/graph_matching.py",
    "frameworks/models/object_model.py",
    "frameworks/run_parallel.py",
    "frameworks/utils/object_model_utils.py",
)

STEP = Step(
    title="perf: import torch where models are read or built",
    body=_BODY,
    rewrites=(
        Rewrite(
            _BUFFER,
            ReplaceStatements,
            dict(
                class_name="BufferEncoder",
                method="_find",
                first="return None",
                by=f"return {_NAME}(obj_type)\n",
                imports=(NeededImport(f"tbp.monty.frameworks.models.{_NAME}", _NAME),),
            ),
        ),
        Rewrite(
            _BUFFER,
            RemoveStatement,
            dict(begins="BufferEncoder.register(torch.Tensor", unused=("torch",)),
        ),
        *(Rewrite(one, ImportWhereUsed, dict(line="import torch")) for one in _OTHERS),
    ),
    overlay=(f"frameworks/models/{_NAME}.py",),
    tests=(f"frameworks/models/{_NAME}_test.py",),
)
