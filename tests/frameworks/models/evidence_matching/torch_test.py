# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The torch backend does what the learning modules' own update does."""

from __future__ import annotations

import pytest

from tests.frameworks.models.evidence_matching import numba_test


class InTorch:
    """Runs the tests of the numba backend with the backend `torch`."""

    def make_backend(self) -> str:
        return "torch"


@pytest.mark.thorough
class TorchSameAsReferenceTest(InTorch, numba_test.SameAsReferenceTest):
    pass


class TorchSharedStateTest(InTorch, numba_test.SharedStateTest):
    pass


class TorchRefusalTest(InTorch, numba_test.RefusalTest):
    pass
