# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import re
import unittest

from monty_tools.report.pictures import PICTURES, draw_pictures
from monty_tools.report.style import DARK, LIGHT

TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")


class PicturesTest(unittest.TestCase):
    def test_they_show_the_stored_measurements(self) -> None:
        drawn = dict(draw_pictures())
        self.assertEqual({*drawn}, {file.name for file in PICTURES.iterdir()})
        for name, svg in drawn.items():
            with self.subTest(name):
                # Places depend on the fonts of a machine; `make docs` draws them again.
                stored = (PICTURES / name).read_text("utf-8")
                self.assertEqual(TEXT.findall(stored), TEXT.findall(svg))
                self.assertGreater(len(TEXT.findall(svg)), 10)
                for ink in (LIGHT.text, LIGHT.ground, DARK.text, DARK.ground):
                    self.assertIn(ink, svg)
