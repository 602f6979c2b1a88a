# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import io
import json
import unittest

from monty_tools.parity.worker import _dump_at_once


class Encoder(json.JSONEncoder):
    def default(self, o):
        return sorted(o)


class DumpAtOnceTest(unittest.TestCase):
    def test_writes_what_json_writes(self) -> None:
        value = {1: [1.5, float("nan"), None, True], "b": {"c": {3, 2}}, "ü": "\n"}
        for options in ({}, {"indent": 2}, {"separators": (",", ":")}):
            with self.subTest(options):
                expected, found = io.StringIO(), io.StringIO()
                json.dump(value, expected, cls=Encoder, **options)
                _dump_at_once(value, found, cls=Encoder, **options)
                self.assertEqual(found.getvalue(), expected.getvalue())
