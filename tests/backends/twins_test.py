# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Modules of `numpy` have compiled twins of the same name."""

from __future__ import annotations

import unittest
from pathlib import Path

from tbp.monty import backends
from tbp.monty.backends.cuda.source import PIECES

TWINS = {
    "evidence",
    "features",
    "neighbors",
    "new_hypotheses",
    "numbers",
    "rounding",
    "slopes",
    "votes",
}
OTHERS = dict(
    # `channels` and `displacing` are parts of the twin of `evidence`.
    numba={"channels", "compiling", "displacing", "first_use"},
    cuda={"device", "most_likely", "records", "rows"},
)


def modules(room: str) -> set[str]:
    files = Path(backends.__file__).parent.glob(f"{room}/*.py")
    return {file.stem for file in files} - {"__init__"}


class TwinsTest(unittest.TestCase):
    def test_numpy_has_them(self) -> None:
        self.assertEqual(TWINS - modules("numpy"), set())

    def test_numba_has_them(self) -> None:
        self.assertEqual(modules("numba") - OTHERS["numba"], TWINS)

    def test_cuda_has_them(self) -> None:
        self.assertEqual(set(PIECES) - OTHERS["cuda"], TWINS)


if __name__ == "__main__":
    unittest.main()
