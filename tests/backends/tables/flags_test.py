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

from tbp.monty.backends.tables.flags import all_of, any_of


class FlagsTest(unittest.TestCase):
    def test_are_what_the_methods_of_arrays_return(self) -> None:
        none, one, both = ([False, False], [False, True], [True, True])
        cases = ([], none, one, both, [none, one], [both, both], [0, 3], [2, 3])
        for case in cases:
            with self.subTest(case=case):
                flags = np.array(case)
                self.assertIs(any_of(flags), bool(flags.any()))
                self.assertIs(all_of(flags), bool(flags.all()))


if __name__ == "__main__":
    unittest.main()
