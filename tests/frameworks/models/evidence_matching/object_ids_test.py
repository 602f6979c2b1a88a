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

from tbp.monty.frameworks.models.evidence_matching.object_ids import digest_of


class DigestOfTest(unittest.TestCase):
    def test_it_is_the_digest_of_the_text(self) -> None:
        for object_id in ("mug", "new_object0", "tasse à café", ""):
            expected = hashlib.sha256(object_id.encode("utf-8")).digest()
            self.assertEqual(digest_of(object_id), expected)
            self.assertIs(digest_of(object_id), digest_of(object_id))
