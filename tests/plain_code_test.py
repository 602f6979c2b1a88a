# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""In `src`, no object gets another class, and libraries are used by public names."""

from __future__ import annotations

import re
import unittest

from monty_tools.refactor.layout import overlay_root

SWAPPED = re.compile(r"\.__class__(, \w+)* =[^=]|setattr\([^)]*__class__")
PRIVATE = re.compile(
    r"\b(numba|numpy|np|scipy|torch)(\.\w+)*\.(_(?!_)|core\b)"
    r"|\bnumba\.(core|cpython|misc|np|parfors|typed\.typedobjectutils)\b"
    r"|from (numba|numpy|scipy|torch)\S* import (.*\W)?_(?!_)"
)


class PlainCodeTest(unittest.TestCase):
    def assert_nowhere(self, pattern: re.Pattern[str]) -> None:
        for path in sorted(overlay_root().rglob("*.py")):
            lines = re.sub(r'"[^"\n]*"|#.*', "", path.read_text("utf-8")).splitlines()
            found = [one for one in lines if pattern.search(one)]
            with self.subTest(path.name):
                self.assertEqual(found, [])

    def test_no_object_gets_another_class(self) -> None:
        self.assertRegex("thing.__class__ = Other", SWAPPED)
        self.assert_nowhere(SWAPPED)

    def test_libraries_are_used_by_their_public_names(self) -> None:
        for line in ("from numba.core import cgutils", "np._core.multiarray"):
            self.assertRegex(line, PRIVATE)
        self.assert_nowhere(PRIVATE)


if __name__ == "__main__":
    unittest.main()
