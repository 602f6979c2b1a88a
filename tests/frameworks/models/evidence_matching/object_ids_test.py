# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import hashlib
import unittest

from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.frameworks.models.evidence_matching.object_ids import once_per_object_id


class Counting:
    def __init__(self) -> None:
        self.computed = 0

    @once_per_object_id
    def length(self, object_id: str) -> int:
        """Return how long an id is."""
        self.computed += 1
        return len(object_id)


class OncePerObjectIdTest(unittest.TestCase):
    def test_each_id_is_computed_once(self) -> None:
        one, other = Counting(), Counting()
        for _ in range(2):
            self.assertEqual(one.length("a mug"), 5)
            self.assertEqual(one.length(""), 0)
        self.assertEqual(one.computed, 2)
        self.assertEqual(other.length("a mug"), 5)
        self.assertEqual(other.computed, 0)
        self.assertEqual(Counting.length.__doc__, "Return how long an id is.")

    def test_features_of_objects_are_those_of_their_ids(self) -> None:
        lm = EvidenceGraphLM.__new__(EvidenceGraphLM)
        for object_id in ("mug", "new_object0", "tasse à café", "", "mug"):
            digest = hashlib.sha256(object_id.encode("utf-8")).hexdigest()
            self.assertEqual(lm._object_id_to_features(object_id), int(digest[:6], 16))


if __name__ == "__main__":
    unittest.main()
