# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import json
import unittest

import numpy as np
import torch

from tbp.monty.frameworks.models.buffer import BufferEncoder
from tbp.monty.frameworks.models.tensor_encoder import tensor_encoder


class TensorEncoderTest(unittest.TestCase):
    def test_tensors_and_classes_of_them_become_arrays(self) -> None:
        tensor = torch.tensor([[1.5, 2.5], [3.0, 4.0]])
        for one in (tensor, torch.nn.Parameter(tensor, requires_grad=False)):
            encoder = tensor_encoder(type(one))
            assert encoder is not None
            np.testing.assert_array_equal(encoder(one), tensor.numpy())

    def test_the_buffer_writes_tensors(self) -> None:
        text = json.dumps({"a": torch.tensor([1, 2])}, cls=BufferEncoder)
        self.assertEqual(text, '{"a": [1, 2]}')

    def test_an_encoder_of_its_own_comes_first(self) -> None:
        BufferEncoder.register(torch.Tensor, lambda _: "mine")
        self.addCleanup(BufferEncoder.unregister, torch.Tensor)
        self.assertEqual(json.dumps(torch.tensor(1), cls=BufferEncoder), '"mine"')

    def test_nothing_else_is_a_tensor(self) -> None:
        class Tensor:
            pass

        for other in (Tensor, int, object):
            self.assertIsNone(tensor_encoder(other))
