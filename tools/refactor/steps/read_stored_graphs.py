# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Models of graphs are read without importing torch."""

from __future__ import annotations

from ..codemods.replace_call import ReplaceCall
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Pretraining writes a graph as tensors, and evidence matching makes arrays of them at
once. Importing torch and torch_geometric only for that took nearly a third of the time
until the first step. A model that holds what pretraining writes and nothing else is now
read as arrays. Any other file is read by torch as before.

An object model makes its torch graph when something asks for it: learning modules that
do not match by evidence find the same tensors as before, and so do copies and pickles.

To check: that the reader calls nothing that a file names with arguments which the
reader does not expect; and that `_initialize_model_with_graph`, if it is overridden,
can be given a `NumpyGraph`."""

_UTILS = "tbp.monty.frameworks.utils"
_MODEL = "stored_graph_model"

STEP = Step(
    title="perf: read the models of graphs without importing torch",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/experiments/monty_experiment.py",
            ReplaceCall,
            class_name="MontyExperiment",
            method="setup_experiment",
            function="read_model",
            by="read_stored_model",
            imports=(NeededImport(f"{_UTILS}.stored_model", "read_stored_model"),),
            unused=("read_model",),
        ),
        Rewrite(
            "frameworks/models/evidence_matching/graph_memory.py",
            ReplaceStatements,
            class_name="EvidenceGraphMemory",
            method="_add_graph_to_memory",
            first="loaded_graph = channel_model._graph",
            by="loaded_graph = graph_to_load(channel_model)\n",
            imports=(
                NeededImport(f"tbp.monty.frameworks.models.{_MODEL}", "graph_to_load"),
            ),
        ),
    ),
    overlay=(
        f"frameworks/models/{_MODEL}.py",
        "frameworks/utils/stored_model.py",
    ),
    tests=(
        f"frameworks/models/{_MODEL}_test.py",
        "frameworks/utils/stored_model_test.py",
    ),
)
