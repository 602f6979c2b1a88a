# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Models whose graph was read as arrays behave as those that torch reads."""

from __future__ import annotations

import copy
import pickle
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import PointPairFeatures

from monty_tools.parity.codec import Arrays, encode
from monty_tools.parity.digest import digest
from tbp.monty.frameworks.models.evidence_matching.graph_memory import (
    EvidenceGraphMemory,
)
from tbp.monty.frameworks.models.object_model import GraphObjectModel
from tbp.monty.frameworks.models.stored_graph_model import (
    StoredGraph,
    StoredGraphModel,
    graph_to_load,
)
from tbp.monty.frameworks.utils.object_model_utils import torch_graph_to_numpy
from tbp.monty.frameworks.utils.stored_model import read_stored_model
from tbp.monty.frameworks.utils.unpickle_model import unpickle_model
from tests.frameworks.utils.stored_model_test import (
    described,
    make_graph,
    make_pretrained,
)


def stored(graph: Data) -> StoredGraph:
    values = graph.to_dict()
    names = [name for name, one in values.items() if isinstance(one, torch.Tensor)]
    return StoredGraph(
        {name: one.numpy() if name in names else one for name, one in values.items()},
        frozenset(names),
    )


def _pickled(model: GraphObjectModel) -> GraphObjectModel:
    return pickle.loads(pickle.dumps(model))  # noqa: S301 it was made here


class StoredGraphTest(unittest.TestCase):
    def test_it_is_written_as_torch_geometric_writes_it(self) -> None:
        mappings: tuple[dict[Any, Any], ...] = (
            {},
            {"hsv": [0, 3]},
            {"hsv": {}},
            {"hsv": {"h": [0, 1]}},
            {"it's": {"h": [0, 1], "s": {1, 2}}, 3: (1, 2)},
        )
        graphs = [
            Data(x=torch.rand(4, 3)),
            Data(x=torch.rand(4, 3), pos=torch.rand(0, 3), count=3, name="mug"),
            Data(x=torch.rand(4), part=np.zeros((2, 2)), is_on=True, ratio=0.25),
            # These are left to torch_geometric.
            Data(x=torch.tensor(3.0), word=b"mug"),
            *(Data(x=torch.rand(2), feature_mapping=one, z=[1]) for one in mappings),
        ]
        for graph in graphs:
            self.assertEqual(repr(stored(graph)), repr(graph))

    def test_arrays_are_those_that_evidence_matching_makes_of_tensors(self) -> None:
        graph = make_graph()
        found, expected = stored(graph).as_numpy(), torch_graph_to_numpy(graph)
        self.assertIs(type(found), type(expected))
        self.assertEqual([*vars(found)], [*vars(expected)])
        for name, value in vars(expected).items():
            self.assertEqual(described(getattr(found, name)), described(value))
        self.assertIs(found.feature_mapping, graph.feature_mapping)
        found.x[:] = 0
        self.assertTrue(graph.x.all())


class StoredGraphModelTest(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(0)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "model.pt"
        torch.save(make_pretrained(), self.path)
        (self.stored, self.plain) = (
            read(self.path)["lm_dict"][0]["graph_memory"]["mug"]["patch"]
            for read in (read_stored_model, unpickle_model)
        )

    def test_it_becomes_a_plain_model(self) -> None:
        self.assertIs(type(self.stored), StoredGraphModel)
        self.assertIsInstance(self.stored, GraphObjectModel)
        self.assertEqual(repr(self.stored), repr(self.plain))
        self.assertEqual(self.stored.k_n, 3)
        self.assertIs(type(self.stored), StoredGraphModel)
        self.assertTrue(torch.equal(self.stored.x, self.plain.x))
        self.assertIs(type(self.stored), GraphObjectModel)
        self.assertIs(self.stored._graph, self.stored._graph)
        self.assertEqual(described(self.stored), described(self.plain))

    def test_copies_and_pickles_are_plain_models(self) -> None:
        for copied in (copy.copy, _pickled):
            self.setUp()
            found = copied(self.stored)
            self.assertIs(type(found), GraphObjectModel)
            self.assertEqual(described(found), described(copied(self.plain)))

    def test_a_deep_copy_becomes_one(self) -> None:
        found = copy.deepcopy({"a": self.stored, "b": self.stored})
        self.assertIs(found["a"], found["b"])
        self.assertIsNot(found["a"], self.stored)
        self.assertIs(type(found["a"]), StoredGraphModel)
        expected = described(copy.deepcopy(self.plain))
        self.assertEqual(described(found["a"]), expected)
        found["a"].x[:] = 0
        self.assertTrue(self.stored.x.all())

    def test_graphs_can_be_changed(self) -> None:
        norm = torch.rand(5, 3, dtype=torch.float64)
        self.stored._graph.norm = self.plain._graph.norm = norm
        self.stored.add_ppf_to_graph()
        self.plain._graph = PointPairFeatures(cat=False)(self.plain._graph)
        self.assertTrue(torch.equal(self.stored.edge_attr, self.plain.edge_attr))
        self.setUp()
        self.stored.set_graph(self.plain._graph)
        self.assertIs(type(self.stored), GraphObjectModel)
        self.assertIs(self.stored._graph, self.plain._graph)

    def test_tools_take_it_for_a_plain_model(self) -> None:
        self.assertEqual(digest(self.stored), digest(self.plain))
        self.setUp()
        self.assertEqual(encode(self.stored, Arrays()), encode(self.plain, Arrays()))

    def test_evidence_matching_loads_the_same_graph(self) -> None:
        memories = []
        for model in (self.stored, self.plain):
            memory = EvidenceGraphMemory(9, 0.3, 5, graph_delta_thresholds={}, k=None)
            memory.load_state_dict({"mug": {"patch": model}})
            memories.append(memory.get_graph("mug", "patch"))
        self.assertIs(type(self.stored), StoredGraphModel)
        self.assertEqual(digest(vars(memories[0])), digest(vars(memories[1])))
        for name in ("x", "pos"):
            parts = [described(getattr(one, name)) for one in memories]
            self.assertEqual(*parts)

    def test_the_graph_of_a_plain_model_is_loaded_as_it_is(self) -> None:
        self.assertIs(graph_to_load(self.plain), self.plain._graph)
