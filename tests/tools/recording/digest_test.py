# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest

import numpy as np
import torch

from monty_tools.recording.digest import digest
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.hypotheses import ResidentHypotheses
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses


class Model:
    def __init__(self, **attributes: object) -> None:
        vars(self).update(attributes)


class KDTree:
    def __init__(self, points: object) -> None:
        self.points = points


class DigestTest(unittest.TestCase):
    def test_equal_values_have_one_digest(self) -> None:
        def value() -> object:
            return {"mug": Model(pos=np.arange(6.0).reshape(2, 3), ids={"a", "b"})}

        self.assertEqual(digest(value()), digest(value()))

    def test_memory_layout_does_not_count(self) -> None:
        array = np.arange(6.0).reshape(2, 3)
        self.assertEqual(digest(array), digest(np.asfortranarray(array)))
        self.assertEqual(digest(array[:, :1]), digest(array[:, :1].copy()))

    def test_different_values_have_different_digests(self) -> None:
        values = [
            None,
            0,
            False,
            0.0,
            -0.0,
            "0",
            [0],
            (0,),
            [[0], []],
            [[], [0]],
            ["ab", "c"],
            ["a", "bc"],
            {0: 1},
            {1: 0},
            {"a": 1, "b": 2},
            {"b": 2, "a": 1},
            {1, 2},
            np.zeros(2),
            np.zeros((2, 1)),
            np.zeros(2, dtype=np.float32),
            np.zeros(0),
            np.array([0.0, np.nan]),
            Model(a=1),
            Model(a=2),
            Model(b=1),
        ]
        self.assertEqual(len({digest(value) for value in values}), len(values))

    def test_search_trees_are_left_out(self) -> None:
        one, other = (Model(tree=KDTree([number])) for number in (1, 2))
        self.assertEqual(digest(one), digest(other))

    def test_hypotheses_that_a_backend_holds_count_as_plain_ones(self) -> None:
        plain = Hypotheses(
            evidence=np.arange(2.0),
            locations=np.ones((2, 3)),
            poses=np.ones((2, 3, 3)),
            possible=np.ones(2, dtype=bool),
        )
        held = ResidentHypotheses(None, 0)
        held.keep(HypothesisRows(**vars(plain)))
        self.assertEqual(digest([held]), digest([plain]))

    def test_loops_end(self) -> None:
        def ring(name: str) -> Model:
            model = Model(name=name)
            model.me = model
            return model

        self.assertEqual(digest(ring("a")), digest(ring("a")))
        self.assertNotEqual(digest(ring("a")), digest(ring("b")))

    def test_sparse_tensors_count_by_content(self) -> None:
        def sparse(order: list[int], value: float) -> torch.Tensor:
            indices = torch.tensor([[0, 1], [1, 0]])[:, order]
            values = torch.tensor([1.0, value])[order]
            return torch.sparse_coo_tensor(
                indices, values, (2, 2), check_invariants=True
            )

        self.assertEqual(digest(sparse([0, 1], 2.0)), digest(sparse([1, 0], 2.0)))
        self.assertNotEqual(digest(sparse([0, 1], 2.0)), digest(sparse([0, 1], 3.0)))
