# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import os
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from omegaconf import OmegaConf
from scipy.spatial import KDTree
from torch_geometric.data import Data

from tbp.monty.frameworks.actions.actions import LookDown
from tbp.monty.frameworks.agents import AgentID
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.object_model import GraphObjectModel, GridObjectModel
from tbp.monty.frameworks.utils.unpickle_model import (
    TRUST_VARIABLE,
    RefusedModel,
    unpickle_model,
)
from tbp.monty.geometry import SurfacePoseVectors


class Calling:
    """An object that a pickle restores by a call."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> tuple:
        return self.call


def make_model() -> dict[str, Any]:
    """Return a state dict with what the models of learning modules hold."""
    points = np.random.RandomState(0).uniform(size=(60, 3))
    graph = GraphObjectModel("mug")
    graph._graph = Data(
        x=torch.arange(12.0).reshape(4, 3), feature_mapping={"hsv": [0, 3]}
    )
    graph.graph_delta_thresholds = OmegaConf.create({"patch": {"distance": [0.1, 2]}})
    grid = GridObjectModel("bowl", max_nodes=9, max_size=0.3, num_voxels_per_dim=5)
    grid._location_grid = torch.eye(3).to_sparse_coo()
    grid._location_tree = KDTree(points, leafsize=40)
    hypotheses = Hypotheses(
        evidence=np.arange(2.0),
        locations=np.asfortranarray(points[:2]),
        poses=np.eye(3)[None],
        possible=np.array([True, False]),
    )
    return {
        "lm_dict": {
            0: {
                "graph_memory": {"mug": {"patch": graph}, "bowl": {"patch": grid}},
                "graph_id_to_target": {"mug": {"mug_a"}},
                "_hypotheses": {"mug": hypotheses},
                "pose": SurfacePoseVectors(np.eye(3)),
                "most": np.float32(0.5),
            }
        },
        "motor_system_dict": {"undo_action": LookDown(AgentID("agent"), 5.0)},
    }


class UnpickleModelTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "model.pt"
        self.proof = Path(folder.name) / "proof"

    def save(self, model: Any) -> None:
        torch.save(model, self.path)

    def assert_refused(self, words: str) -> None:
        with self.assertRaisesRegex(RefusedModel, words) as refused:
            unpickle_model(self.path)
        self.assertEqual(len(str(refused.exception).splitlines()), 1)

    def test_what_models_hold_is_loaded(self) -> None:
        self.save(make_model())
        found = unpickle_model(self.path)
        expected = torch.load(self.path, weights_only=False)
        lm, same = found["lm_dict"][0], expected["lm_dict"][0]
        graph, grid = (lm["graph_memory"][name]["patch"] for name in ("mug", "bowl"))
        as_saved = [same["graph_memory"][name]["patch"] for name in ("mug", "bowl")]
        self.assertTrue(torch.equal(graph._graph.x, as_saved[0]._graph.x))
        self.assertEqual(graph.graph_delta_thresholds.patch.distance, [0.1, 2])
        self.assertEqual(graph._graph.feature_mapping, {"hsv": [0, 3]})
        dense = [one._location_grid.to_dense() for one in (grid, as_saved[1])]
        self.assertTrue(torch.equal(*dense))
        beliefs = [one["_hypotheses"]["mug"] for one in (lm, same)]
        np.testing.assert_array_equal(*(one.locations for one in beliefs))
        self.assertTrue(beliefs[0].locations.flags.f_contiguous)
        self.assertEqual(lm["graph_id_to_target"], {"mug": {"mug_a"}})
        self.assertEqual(lm["most"].dtype, np.float32)
        action = found["motor_system_dict"]["undo_action"]
        self.assertEqual((action.agent_id, action.rotation_degrees), ("agent", 5.0))

    def test_a_tree_is_built_again(self) -> None:
        points = np.random.RandomState(0).uniform(size=(60, 3))
        tree = KDTree(points, leafsize=4)
        nodes, *rest = tree.__getstate__()
        with patch.object(
            KDTree, "__getstate__", lambda _: (nodes[::-1].copy(), *rest)
        ):
            self.save(tree)
        found = unpickle_model(self.path)
        copied = copy.deepcopy(found)
        self.assertIs(type(copied), KDTree)
        for one in (found, copied):
            self.assertIsInstance(one, KDTree)
            self.assertEqual(one.leafsize, 4)
            np.testing.assert_array_equal(one.query(points, 3), tree.query(points, 3))

    def test_a_call_of_any_function_is_refused_unless_trusted(self) -> None:
        self.save({"lm_dict": Calling(os.system, f"touch {self.proof}")})
        self.assert_refused(rf"names posix.system.*{TRUST_VARIABLE}={self.path}")
        self.assertFalse(self.proof.exists())
        trusted = os.pathsep.join(["elsewhere", str(self.path.parent)])
        with patch.dict(os.environ, {TRUST_VARIABLE: trusted}):
            unpickle_model(self.path)
        self.assertTrue(self.proof.exists())

    def test_interpolations_are_refused(self) -> None:
        config = OmegaConf.create({"a": [1, "${np.list_eval:[1]}"]})
        raw = OmegaConf.create({"a": 1})
        raw.__dict__["_content"]["a"] = "${np.list_eval:[1]}"
        for hidden in (config, raw, {"key": (np.str_("${oc.env:HOME}"),)}):
            with self.subTest(type(hidden)):
                self.save({"lm_dict": hidden})
                self.assert_refused(r"interpolation '\$\{")

    def test_interpolations_are_not_resolved_by_comparing_configs(self) -> None:
        calls: list[str] = []
        OmegaConf.register_new_resolver("record_call", calls.append)
        self.addCleanup(OmegaConf.clear_resolver, "record_call")
        twins = [OmegaConf.create({"a": "${record_call:x}"}) for _ in range(2)]
        self.save({"lm_dict": Calling(set, twins)})
        self.assert_refused(r"\$\{record_call|record_call not found")
        self.assertEqual(calls, [])
        self.assertEqual(twins[0].a, None)
        self.assertEqual(calls, ["x"])

    def test_arrays_are_not_larger_than_the_file(self) -> None:
        wide = torch.zeros(1).expand(1 << 40)
        for hidden in (wide, Calling(np.ndarray, (1 << 40,), np.dtype("u1"))):
            with self.subTest(type(hidden)):
                self.save({"lm_dict": hidden})
                self.assert_refused("larger than the file|Unable to allocate")

    def test_arrays_of_objects_are_refused(self) -> None:
        self.save({"lm_dict": np.array([{}, None])})
        self.assert_refused("ObjectDType")

    def test_a_compressed_file_is_refused(self) -> None:
        self.save({"lm_dict": torch.zeros(1 << 16)})
        with zipfile.ZipFile(self.path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
        self.assert_refused("compressed")

    def test_another_file_is_no_model(self) -> None:
        self.path.write_text("hello")
        self.assert_refused("cannot be read as a model")
        self.save(make_model())
        self.path.write_bytes(self.path.read_bytes()[:-100])
        self.assert_refused("cannot be read as a model")
        self.path.unlink()
        with self.assertRaises(FileNotFoundError):
            unpickle_model(self.path)
