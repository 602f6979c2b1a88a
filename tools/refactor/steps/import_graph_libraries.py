# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""sklearn and torch_geometric are imported where graphs are built."""

from __future__ import annotations

from ..codemods.import_where_used import ImportWhereUsed
from ..codemods.replace_function import ReplaceFunction
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
A run that builds no graph imported sklearn, with it scipy.stats, and torch_geometric
all the same. They take more than a second. sklearn also numbered the nine outcomes of
an episode for a histogram; a dictionary does that now.

To check: that the numbers of outcomes are those of sklearn's `LabelEncoder`."""

_LINES = (
    # The last one comes first in a block.
    "from torch_geometric.data import Data",
    "from sklearn.neighbors import kneighbors_graph",
    "import torch_geometric.transforms as T",
    "import torch_geometric",
)

STEP = Step(
    title="perf: import sklearn and torch_geometric where graphs are built",
    body=_BODY,
    rewrites=(
        *(
            Rewrite(
                "frameworks/models/object_model.py", ImportWhereUsed, dict(line=line)
            )
            for line in _LINES
        ),
        Rewrite(
            "frameworks/loggers/graph_matching_loggers.py",
            ReplaceFunction,
            dict(
                class_name="BasicGraphMatchingLogger",
                method="__init__",
                function=NeededImport("sklearn.preprocessing", "LabelEncoder"),
                by=NeededImport(
                    "tbp.monty.frameworks.loggers.label_numbers", "LabelNumbers"
                ),
            ),
        ),
    ),
    overlay=("frameworks/loggers/label_numbers.py",),
    tests=("frameworks/loggers/label_numbers_test.py",),
)
