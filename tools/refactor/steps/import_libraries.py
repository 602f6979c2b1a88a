# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Libraries are imported where they are used."""

from __future__ import annotations

from ..codemods.import_where_used import ImportWhereUsed
from ..codemods.remove_statement import RemoveStatement
from ..codemods.replace_call import ReplaceCall
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Every run imported libraries that most runs do not use. They are now imported in the
functions that use them.

- matplotlib, half a second: for a window that shows what sensors see and for a function
  that reads drawings. Both are used on request only.
- sklearn, with it scipy.stats, and torch_geometric, more than a second: for building
  graphs. sklearn also numbered the nine outcomes of an episode for a histogram; a
  dictionary does that now.
- torch, more than a second: for reading and building models. The buffer asked torch for
  the class of tensors, to register how they are encoded. It knows them by name now:
  whoever has made one has imported torch.

To check: that nothing but the window relies on its call of `plt.ioff()`; that the
numbers of outcomes are those of sklearn's `LabelEncoder`; that an encoder which is
registered for tensors, or for a class of them, still comes first."""

_BUFFER = "frameworks/models/buffer.py"
_OBJECT_MODEL = "frameworks/models/object_model.py"
_NUMBERS = "frameworks/loggers/label_numbers"
_ENCODER = "frameworks/models/tensor_encoder"


def _where_used(file: str, line: str, *, annotates: bool = False) -> Rewrite:
    return Rewrite(file, ImportWhereUsed, line=line, annotates=annotates)


STEP = Step(
    title="perf: import libraries where they are used",
    body=_BODY,
    rewrites=(
        _where_used(
            "frameworks/experiments/monty_experiment.py",
            "from tbp.monty.frameworks.utils.live_plotter import LivePlotter",
            annotates=True,
        ),
        _where_used(
            "frameworks/environments/two_d_data.py", "import matplotlib.pyplot as plt"
        ),
        # Of the lines in one block, the last one comes first.
        _where_used(_OBJECT_MODEL, "from torch_geometric.data import Data"),
        _where_used(_OBJECT_MODEL, "from sklearn.neighbors import kneighbors_graph"),
        _where_used(_OBJECT_MODEL, "import torch_geometric.transforms as T"),
        _where_used(_OBJECT_MODEL, "import torch_geometric"),
        Rewrite(
            "frameworks/loggers/graph_matching_loggers.py",
            ReplaceCall,
            class_name="BasicGraphMatchingLogger",
            method="__init__",
            function="LabelEncoder",
            by="LabelNumbers",
            imports=(
                NeededImport(
                    "tbp.monty.frameworks.loggers.label_numbers", "LabelNumbers"
                ),
            ),
            unused=("LabelEncoder",),
        ),
        Rewrite(
            _BUFFER,
            ReplaceStatements,
            class_name="BufferEncoder",
            method="_find",
            first="return None",
            by="return tensor_encoder(obj_type)\n",
            imports=(
                NeededImport(
                    "tbp.monty.frameworks.models.tensor_encoder", "tensor_encoder"
                ),
            ),
        ),
        Rewrite(
            _BUFFER,
            RemoveStatement,
            begins="BufferEncoder.register(torch.Tensor",
            unused=("torch",),
        ),
        *(
            _where_used(file, "import torch")
            for file in (
                "frameworks/experiments/monty_experiment.py",
                "frameworks/models/feature_location_matching.py",
                "frameworks/models/graph_matching.py",
                _OBJECT_MODEL,
                "frameworks/run_parallel.py",
                "frameworks/utils/object_model_utils.py",
            )
        ),
    ),
    overlay=(f"{_NUMBERS}.py", f"{_ENCODER}.py"),
    tests=(f"{_NUMBERS}_test.py", f"{_ENCODER}_test.py"),
)
