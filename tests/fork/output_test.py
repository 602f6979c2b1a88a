# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What learning modules send out is what upstream's send out."""

from __future__ import annotations

import itertools
import unittest
from typing import Any
from unittest.mock import Mock

import numpy as np

from tbp.monty.frameworks.models.buffer import FeatureAtLocationBuffer
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.geometry import OrientationMatrix, Rotation
from tests.fork.upstream_module import upstream_module


def learning_module(on_object: list[bool], terminal_state: str | None) -> Any:
    lm = Mock(learning_module_id="lm", terminal_state=terminal_state)
    lm.buffer = FeatureAtLocationBuffer()
    lm.buffer.on_object = on_object
    lm._get_current_mlh.return_value = {
        "graph_id": "mug",
        "rotation": Rotation.from_euler("xyz", [0.1, 0.2, 0.3]),
        "evidence": np.float64(1.5),
    }
    lm._object_id_to_features.return_value = 7
    lm._object_pose_to_features.return_value = OrientationMatrix(np.eye(3))
    lm._enough_symmetry_evidence_accumulated.return_value = False
    return lm


class OutputTest(unittest.TestCase):
    def test_it_is_that_of_upstream(self) -> None:
        name = "frameworks.models.evidence_matching.learning_module"
        upstream: Any = upstream_module(name).EvidenceGraphLM
        steps = ([], [True], [False], [True] * 3, [True, True, False])
        for on_object, state in itertools.product(steps, (None, "match", "no_match")):
            with self.subTest(on_object=on_object, state=state):
                lm = learning_module(on_object, state)
                expected = upstream.get_output(lm)
                found = EvidenceGraphLM.get_output(lm)
                for message in (expected, found):
                    del message.morphological_features["pose_vectors"]
                self.assertEqual(vars(found), vars(expected))
                self.assertIs(type(found.confidence), type(expected.confidence))


if __name__ == "__main__":
    unittest.main()
