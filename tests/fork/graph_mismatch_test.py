# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Where a goal generator sees the largest mismatch of two graphs."""

from __future__ import annotations

import unittest
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from tbp.monty.frameworks.models import goal_generation
from tbp.monty.frameworks.models.object_model import GridObjectModel
from tbp.monty.frameworks.utils.object_model_utils import NumpyGraph
from tbp.monty.geometry import Rotation
from tests.fork.upstream_module import upstream_module


def _model(locations: npt.NDArray[np.float64]) -> GridObjectModel:
    model = GridObjectModel("object", max_nodes=10, max_size=1, num_voxels_per_dim=4)
    model.use_original_graph = True
    model.set_graph(NumpyGraph({"pos": locations}))
    return model


class _LearningModule:
    """A learning module with two objects, and two hypotheses about each."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.buffer = SimpleNamespace(
            get_first_sensory_input_channel=lambda: "patch",
            update_stats=lambda *_, **__: None,
        )
        self._models, self._hypotheses = {}, {}
        has_ties = rng.random() < 0.3
        for name in ("first", "second"):
            nodes = rng.normal(size=(int(rng.integers(2, 300)), 3))
            if has_ties:
                nodes = np.round(nodes)
            self._models[name] = _model(nodes)
            self._hypotheses[name] = [
                dict(
                    graph_id=name,
                    location=rng.choice(nodes),
                    rotation=Rotation.from_rotvec(angle * rng.normal(size=3)),
                )
                for angle in ((0, 0) if has_ties else (1, 0.1))
            ]

    def get_top_two_mlh_ids(self) -> tuple[str, str]:
        return "first", "second"

    def get_mlh_for_object(self, name: str) -> dict[str, Any]:
        return self._hypotheses[name][0]

    def get_top_two_pose_hypotheses_for_graph_id(
        self, name: str
    ) -> list[dict[str, Any]]:
        return self._hypotheses[name]

    def get_graph(self, name: str, input_channel: str) -> GridObjectModel:
        assert input_channel == "patch"
        return self._models[name]


class GraphMismatchTest(unittest.TestCase):
    def setUp(self) -> None:
        upstream = upstream_module("frameworks.models.goal_generation")
        self.upstream = upstream.EvidenceGoalGenerator()
        self.fork = goal_generation.EvidenceGoalGenerator()

    def assert_equal_mismatches(self) -> None:
        rng = np.random.default_rng(3)
        for _ in range(200):
            lm: Any = _LearningModule(rng)
            found = []
            for generator in (self.upstream, self.fork):
                generator.parent_lm = lm
                generator.focus_on_pose = bool(len(lm._models["first"].pos) % 2)
                node = generator._compute_graph_mismatch()
                found.append((node, type(node)))
                self.assertIs(generator.prev_top_mlhs[0], lm._hypotheses["first"][0])
                self.assertIs(generator.prev_top_mlhs[1], lm._hypotheses["second"][0])
            self.assertEqual(*found)

    def test_the_farthest_node_is_upstreams(self) -> None:
        with patch.object(
            self.fork, "_search_farthest_node", wraps=self.fork._search_farthest_node
        ) as search:
            self.assert_equal_mismatches()
        self.assertGreater(search.call_count, 20)
        self.assertLess(search.call_count, 100)

    def test_it_is_searched_for_as_before(self) -> None:
        with patch.object(goal_generation, "clearly_farthest_node", return_value=None):
            self.assert_equal_mismatches()
